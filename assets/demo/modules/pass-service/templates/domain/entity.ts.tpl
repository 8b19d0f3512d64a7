// @generated from entity.ts.tpl; the class below may be extended, not edited
import { Ulid } from '@halyard/ulid';

/** {{description}} */
export class {{Entity}} {
  constructor(
    readonly id: Ulid,
{{#fields}}
    readonly {{name}}: {{tsType}}{{#nullable}} | null{{/nullable}},
{{/fields}}
  ) {}

{{#states}}
  /** Whether this is {{label}}. */
  get is{{label}}(): boolean {
    return this.state === '{{value}}';
  }

{{/states}}
  equals(other: {{Entity}}): boolean {
    return this.id.equals(other.id);
  }
}
