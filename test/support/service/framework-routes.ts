// Routes that the web framework is tried on: a parameter, a body, an event stream, a choice of forms, a page.

import { Type } from 'typebox';
import { testRoute } from './http-server.ts';

const query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e6, aliases: ['pageSize'] })),
  radius: Type.Optional(Type.Number()),
});
const params = Type.Object({ id: Type.String({ maxLength: 40, missing: 'AREA_NOT_FOUND' }) });
const body = Type.Object(
  { n: Type.Optional(Type.Integer()), any: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);

export const routes = [
  testRoute({ path: '/v1/items', query, handle: (call) => ({ json: call.query }) }),
  testRoute({ path: '/v1/items/:id', params, handle: (call) => ({ json: call.params }) }),
  testRoute({ path: '/v1/items/:id', method: 'DELETE', params, handle: () => ({ status: 204 }) }),
  testRoute({ path: '/v1/things', method: 'POST', body, handle: (call) => ({ json: call.body }) }),
  testRoute({ path: '/v1/live', head: false, accepts: ['text/event-stream'] }),
  testRoute({
    path: '/v1/map',
    accepts: ['application/json', 'text/csv'],
    handle: (c) => ({ text: c.mediaType }),
  }),
  testRoute({
    path: '/docs',
    accepts: ['text/html'],
    handle: () => ({ text: 'x', headers: { 'content-security-policy': 'own' } }),
  }),
];
