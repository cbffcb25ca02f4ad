// Addresses of the site that are no pages: what pages load, what browsers and programs look for, and where pages moved from.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import { FAVICON_FILE } from '../page/mark.ts';
import { llmsText } from './llms.ts';
import { type ReferenceOptions, referenceHandler } from './reference-document.ts';
import { scalarReply } from './scalar.ts';

export interface FileOptions {
  readonly publicUrl: string;
  readonly reference: ReferenceOptions;
}

const file = {
  method: 'GET',
  page: true,
  tag: 'Service',
  access: { credentials: 'none', counts: 'nothing' },
  alsoAnswers: { 304: 'The file still matches If-None-Match.' },
} as const;

export function fileRoutes({ publicUrl, reference }: FileOptions): readonly Route<Principal>[] {
  const define = route<Principal>();
  return [
    scriptRoute(),
    define({
      ...file,
      path: '/docs/reference.json',
      operation: 'getReferenceDocument',
      summary: 'Get the OpenAPI document with examples from the running store',
      answer: { description: 'The document that the API reference shows.' },
      handle: referenceHandler(reference),
    }),
    textRoute('/favicon.svg', 'Get the logo', 'image/svg+xml', FAVICON_FILE),
    textRoute('/llms.txt', 'Get the summary for language models', 'text/plain', llmsText(publicUrl)),
    redirectRoute('/favicon.ico', 'Redirect to the logo', 'favicon.svg'),
    redirectRoute('/docs/', 'The reference', '../docs'),
  ];
}

function textRoute(path: string, summary: string, type: string, text: string): Route<Principal> {
  const etag = strongEtag(text);
  const headers = { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' };
  return route<Principal>()({
    ...file,
    ...{ path, operation: `get ${path}`, summary, accepts: [type], anyAccept: true },
    answer: { description: summary, contentType: type },
    handle: (call) => conditional(call.headers, etag, { text, headers }),
  });
}

/** `location` is relative, so that it also leads there below a path. */
function redirectRoute(path: string, summary: string, location: string): Route<Principal> {
  return route<Principal>()({
    ...file,
    ...{ path, operation: `get ${path}`, summary, anyAccept: true, alsoAnswers: {} },
    answer: { status: 308, description: `Redirects to ${location}.`, contentType: 'text/plain' },
    handle: () => ({ status: 308, headers: { location, 'cache-control': 'no-cache' } }),
  });
}

function scriptRoute(): Route<Principal> {
  return route<Principal>()({
    ...file,
    path: '/docs/reference.js',
    operation: 'getReferenceScript',
    summary: 'Get the script of the API reference',
    query: Type.Object({
      v: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'Version of the script; responses for the current version may be cached.',
        }),
      ),
    }),
    accepts: ['text/javascript'],
    answer: { description: 'The script.', contentType: 'text/javascript' },
    handle: ({ headers, query }) => scalarReply({ headers }, query.v),
  });
}
