// Parsers of bodies by their content type, as Fastify calls them.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseForm, parseJson } from '../input/body.ts';
import type { BodyType, Route } from './route.ts';

/** Fastify's request, with ours attached. */
type Carrying = FastifyRequest & { active?: { readonly endpoint: { readonly route: Route<never> } } };

const JSON_TYPE: BodyType = 'application/json';
const PATCH_TYPE: BodyType = 'application/merge-patch+json';
const FORM_TYPE: BodyType = 'application/x-www-form-urlencoded';

/** Of bodies that are read whole. */
export function addBodyParsers(app: FastifyInstance): void {
  const asBytes = { parseAs: 'buffer' } as const;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_TYPE, asBytes, async (request: Carrying, body: Buffer) => {
    const route = request.active?.endpoint.route;
    if (route?.ownBody === 'bytes') return body;
    // Many clients send the content type of a body that they do not send.
    const isOptional = route?.body === undefined || route.ownBody === 'optional';
    return isOptional && body.byteLength === 0 ? undefined : parseJson(body);
  });
  app.addContentTypeParser(PATCH_TYPE, asBytes, async (_request: unknown, body: Buffer) => parseJson(body));
  app.addContentTypeParser(FORM_TYPE, asBytes, async (request: Carrying, body: Buffer) =>
    parseForm(body, request.active?.endpoint.route.body),
  );
}

/** Hands the bodies of all routes of a context over as they arrive: parsers belong to a context. */
export function leaveBodiesUnread(context: FastifyInstance): void {
  context.removeAllContentTypeParsers();
  context.addContentTypeParser('*', async (_request: unknown, payload: unknown) => payload);
}
