// Owns the address at which the OpenAPI document is served; it describes itself too.

import { Type } from 'typebox';
import { conditional, strongEtag } from './etag.ts';
import { type Describe, openapiDocument } from './openapi.ts';
import type { Json } from './openapi-schemas.ts';
import { type Route, route } from './route.ts';

/** The route and the document, which covers the given routes and this one. */
export function openapiRoute<Caller>(
  others: readonly Route<Caller>[],
  describe: Describe,
): { readonly route: Route<Caller>; readonly document: Json } {
  let reply = { text: '', headers: {} };
  let etag = '';
  const own = route<Caller>()({
    method: 'GET',
    path: '/openapi.json',
    access: { credentials: 'none', counts: 'nothing' },
    operation: 'getOpenapi',
    tag: 'Service',
    summary: 'This document',
    answer: {
      description: 'The OpenAPI 3.1 document.',
      schema: Type.Object({}, { additionalProperties: true }),
    },
    alsoAnswers: { 304: 'The document is the one that If-None-Match names.' },
    handle: ({ headers }) => conditional(headers, etag, reply),
  });
  const document = openapiDocument([...others, own], describe);
  const text = JSON.stringify(document);
  etag = strongEtag(text);
  reply = {
    text,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
  };
  return { route: own, document };
}
