// Routes of the OpenAPI document, as JSON and as YAML; it describes them too.

import { Type } from 'typebox';
import { type RequestContext, type Route, route } from '../frame/route.ts';
import { conditional, strongEtag } from '../output/etag.ts';
import type { Reply } from '../output/reply.ts';
import { toYaml } from '../output/yaml.ts';
import { type Describe, openapiDocument } from './openapi.ts';
import type { Json } from './openapi-schemas.ts';

const YAML = 'application/yaml';

/** The routes and the document, which covers the given routes and these. */
export function openapiRoutes<Caller>(
  others: readonly Route<Caller>[],
  describe: Describe,
): { readonly routes: readonly Route<Caller>[]; readonly document: Json } {
  let document: Json = {};
  const common = {
    method: 'GET',
    access: { credentials: 'none', counts: 'nothing' },
    tag: 'Service',
    alsoAnswers: { 304: 'The document still matches If-None-Match.' },
  } as const;
  const define = route<Caller>();
  const routes = [
    define({
      ...common,
      path: '/openapi.json',
      operation: 'getOpenapi',
      summary: 'This document',
      answer: {
        description: 'The OpenAPI 3.1 document.',
        schema: Type.Object({}, { additionalProperties: true }),
      },
      handle: textHandler('application/json; charset=utf-8', () => JSON.stringify(document)),
    }),
    define({
      ...common,
      path: '/openapi.yaml',
      operation: 'getOpenapiYaml',
      summary: 'Get this document as YAML',
      accepts: [YAML],
      answer: { description: 'The OpenAPI 3.1 document.', contentType: YAML },
      handle: textHandler(`${YAML}; charset=utf-8`, () => toYaml(document)),
    }),
  ];
  document = openapiDocument([...others, ...routes], describe);
  return { routes, document };
}

/** A handler whose text is serialized on first use. */
function textHandler(contentType: string, write: () => string) {
  let written: { readonly etag: string; readonly reply: Reply } | undefined;
  return ({ headers }: Pick<RequestContext<unknown>, 'headers'>): Reply => {
    written ??= writtenOut(write(), contentType);
    return conditional(headers, written.etag, written.reply);
  };
}

function writtenOut(text: string, contentType: string) {
  const headers = { 'content-type': contentType, 'cache-control': 'no-cache' };
  return { etag: strongEtag(text), reply: { text, headers } };
}
