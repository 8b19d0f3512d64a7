// Routes for {{resource}}. A handler takes the request apart and answers; the service decides.
import type { FastifyInstance } from 'fastify';
import { openToAll, requireScope } from '@halyard/auth';
import { deadlineOf } from '@halyard/deadline';
import type { {{Resource}}Service } from '../domain';

export function register{{Resource}}Routes(app: FastifyInstance, service: {{Resource}}Service): void {
{{#operations}}
  // {{summary}}
  app.{{verb}}('/v1/{{path}}', {
    preHandler: [{{#scopes}}requireScope('{{.}}'), {{/scopes}}{{^scopes}}openToAll{{/scopes}}],
  }, async (request, reply) => {
    const result = await service.{{method}}(request.params, request.body, deadlineOf(request));
    return reply.code({{status}}).send(result);
  });

{{/operations}}
{{^operations}}
  // No operations yet: the service answers health checks and nothing else.
{{/operations}}
}
