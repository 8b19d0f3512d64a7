// What the HTTP side of {{serviceName}} offers to main.ts.
{{#controllers}}
export { register{{name}}Routes } from './{{file}}.controller';
{{/controllers}}
