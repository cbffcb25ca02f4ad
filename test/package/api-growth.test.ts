// Proof that a release which takes something away from the API below /v1 is noticed, and one that adds to it is not held up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lostParts, type OpenApi } from '../../tools/api-growth.ts';
import { readSource } from '../support/code/source-files.ts';

const PRESENT = readSource('openapi.json').text;

/** The present document after an edit of its members, which the compiler knows nothing of. */
function edited(edit: (document: never) => void): OpenApi {
  const document = JSON.parse(PRESENT);
  edit(document as never);
  return document as OpenApi;
}

const present = JSON.parse(PRESENT) as OpenApi;

// biome-ignore lint/suspicious/noExplicitAny: a document is edited by paths.
type Document = any;
const searchOf = (document: Document) => document.paths['/v1/search/sales'].get;

const losses: readonly (readonly [what: string, edit: (document: Document) => void, found: RegExp])[] = [
  ['an operation', (document) => delete document.paths['/v1/usage'], /^GET \/v1\/usage is gone$/],
  [
    'a parameter',
    (document) => {
      const search = searchOf(document);
      search.parameters = search.parameters.filter(({ name }: { name: string }) => name !== 'maxPrice');
    },
    /^GET \/v1\/search\/sales: the parameter maxPrice is gone$/,
  ],
  [
    'a parameter that becomes required',
    (document) => {
      searchOf(document).parameters.find(({ name }: { name: string }) => name === 'limit').required = true;
    },
    /the parameter limit has become required$/,
  ],
  [
    'a new parameter that is required',
    (document) => searchOf(document).parameters.push({ name: 'reason', in: 'query', required: true }),
    /the parameter reason has become required$/,
  ],
  [
    'a member of a shared schema',
    (document) => delete document.components.schemas.Listing.properties.price,
    /^GET \/v1\/search\/sales: the answer has no data\[\]\.price any more$/,
  ],
  [
    'the certainty of a member',
    (document) => {
      const { Listing } = document.components.schemas;
      Listing.required = Listing.required.filter((name: string) => name !== 'id');
    },
    /^GET \/v1\/search\/sales: the answer may lack data\[\]\.id$/,
  ],
];

for (const [what, edit, found] of losses)
  test(`${what} is missed`, () => {
    const lost = lostParts(present, edited(edit as (document: never) => void));
    assert.ok(
      lost.some((sentence) => found.test(sentence)),
      lost.join('\n') || 'nothing was found',
    );
  });

test('what is added is not missed, nor what is not below /v1', () => {
  const grown = edited((document: Document) => {
    document.paths['/v1/new'] = document.paths['/v1/usage'];
    searchOf(document).parameters.push({ name: 'extra', in: 'query', required: false });
    document.components.schemas.Listing.properties.extra = { type: 'string' };
    delete document.paths['/openapi.yaml'];
  });
  assert.deepEqual(lostParts(present, grown), []);
  assert.deepEqual(lostParts(present, present), []);
});
