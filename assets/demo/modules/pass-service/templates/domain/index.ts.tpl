// The domain of {{serviceName}}. Nothing in here knows about HTTP or SQL.
{{#entities}}
export { {{name}} } from './{{file}}';
{{/entities}}
{{^entities}}
export {};
{{/entities}}
