// Routes of /v1/sources/{source}: listings that programs push, one by one, in batches, and as snapshots.

import type { IncomingMessage } from 'node:http';
import { type Static, type TObject, Type } from 'typebox';
import { type Principal, PUSH } from '../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../http/frame/route.ts';
import { invalidParameter } from '../lib/problem.ts';
import { Batch } from './batch.ts';
import { endListing, type OneRequest, patchListing, putListing, readListing } from './one-listing.ts';
import type { Order } from './order.ts';
import { PatchSchema, PushedRecordSchema } from './own-schema.ts';
import { photoRoutes } from './photo-routes.ts';
import { createFindContext, type PushContext, type PushOptions } from './push-parts.ts';
import {
  EndQuery,
  ListingParams,
  OneQuery,
  PushResultSchema,
  SnapshotQuery,
  SnapshotSchema,
  SourceParams,
  StoredSchema,
} from './push-schemas.ts';
import { answerManyOnce } from './repeated-body.ts';
import { snapshotPieceBytes, takeSnapshot } from './snapshot.ts';
import { arraySplitter, lineSplitter, type Splitter } from './split-records.ts';

const access = { credentials: 'required', source: true, counts: 'push' } as const;
const common = { tag: 'Push', access, codes: ['CONFLICT', 'IDEMPOTENCY_KEY_REUSED'] } as const;

const changing = {
  404: 'The source has no listing with this key',
  409: 'The message cannot be compared with those before it, or a request with this Idempotency-Key is under way',
  412: 'The listing is not at the version in If-Match',
  422: 'This Idempotency-Key was sent with another request',
};
const CONDITIONS =
  'With `If-Match`, the change is made only if the listing still has this ETag. An `Idempotency-Key` makes the request ' +
  'one that is done once: sent again within 24 hours it gets the same answer.';

type OneCall = RequestContext<
  Principal,
  { readonly dryRun?: boolean },
  Static<typeof ListingParams>,
  unknown
>;

const oneRequest = ({ params, headers, url, body, query }: OneCall, method: string): OneRequest => ({
  key: params.key,
  headers,
  target: `${method} ${url}`,
  body,
  isDryRun: query.dryRun === true,
});

export function pushRoutes(options: PushOptions): readonly Route<Principal>[] {
  const find = createFindContext(options);
  const contextOf = ({ caller, params }: { caller: Principal; params: { readonly source: string } }) =>
    find(caller, params.source);
  const one = <Q extends TObject>(
    definition: Pick<Route<Principal>, 'method' | 'operation' | 'summary' | 'description'> & {
      readonly query: Q;
      readonly body?: typeof PushedRecordSchema | typeof PatchSchema;
      readonly consumes?: NonNullable<Route<Principal>['consumes']>;
    },
    answer: (
      context: PushContext,
      call: OneCall & { readonly query: Static<Q> },
    ) => ReturnType<typeof putListing>,
  ): Route<Principal> => {
    const { body, consumes, ...documentation } = definition;
    return route<Principal>()({
      ...common,
      ...documentation,
      path: '/v1/sources/:source/listings/:key',
      params: ListingParams,
      ...(body !== undefined && { body, ownBody: 'value', bodyBytes: PUSH.recordBytes }),
      ...(consumes !== undefined && { consumes }),
      answer: { description: 'What became of it', schema: PushResultSchema },
      alsoAnswers: definition.method === 'PUT' ? { 201: 'The listing is new', ...changing } : changing,
      handle: async (call) => answer(await contextOf(call), call as never),
    });
  };
  return [
    one(
      {
        method: 'PUT',
        operation: 'putListing',
        summary: 'Push a listing',
        description: `Creates the listing, or replaces it whole: what the record leaves out is unknown from then on. ${CONDITIONS}`,
        query: OneQuery,
        body: PushedRecordSchema,
      },
      (context, call) => putListing(context, oneRequest(call, 'PUT')),
    ),
    one(
      {
        method: 'PATCH',
        operation: 'patchListing',
        summary: 'Change a listing',
        description:
          'A JSON Merge Patch (RFC 7396) of the record as you sent it: `null` removes a member. A sale is ' +
          `\`{"status": "CLOSED", "closePrice": 412000}\`. ${CONDITIONS}`,
        query: OneQuery,
        body: PatchSchema,
        consumes: ['application/merge-patch+json', 'application/json'],
      },
      (context, call) => patchListing(context, oneRequest(call, 'PATCH')),
    ),
    one(
      {
        method: 'DELETE',
        operation: 'endListing',
        summary: 'Take a listing off the market',
        description: `It stays readable by its id, with its history. A listing that is CLOSED stays as it is. ${CONDITIONS}`,
        query: EndQuery,
      },
      (context, call) =>
        endListing(context, oneRequest(call, 'DELETE'), {
          status: call.query.status ?? 'WITHDRAWN',
          order: orderOf(call.query),
        }),
    ),
    route<Principal>()({
      ...common,
      method: 'GET',
      path: '/v1/sources/:source/listings/:key',
      operation: 'getPushedListing',
      summary: 'Get a pushed listing',
      description:
        'The record as it is stored, its place in your order, and what is wrong with the last one that was refused.',
      params: ListingParams,
      answer: { description: 'The listing', schema: StoredSchema },
      alsoAnswers: { 304: 'It still has the ETag in If-None-Match', 404: changing[404] },
      handle: async (call) => readListing(await contextOf(call), call.params.key, call.headers),
    }),
    batchRoute(contextOf),
    snapshotRoute(contextOf),
    ...photoRoutes(find),
  ];
}

type FindContextOf = (call: {
  caller: Principal;
  params: { readonly source: string };
}) => Promise<PushContext>;

const BODY_TYPES = ['application/json', 'application/x-ndjson'] as const;
const NDJSON = 'application/x-ndjson';

function batchRoute(contextOf: FindContextOf): Route<Principal> {
  return route<Principal>()({
    ...common,
    codes: [...common.codes, 'OVERLOADED'],
    method: 'POST',
    path: '/v1/sources/:source/listings',
    operation: 'putListings',
    summary: 'Push many listings',
    description:
      `Up to ${PUSH.bodyRecords.toLocaleString('en-US')} whole records with their \`listingKey\`, as JSON lines or a JSON ` +
      `array of at most ${PUSH.bodyBytes / 1_000_000} MB, ${PUSH.recordBytes / 1_000} kB each. They are written in ` +
      'transactions of 500, in their order. The answer has one JSON line for each record, in the same order; one that ' +
      'is rejected stops no other. A request that breaks off may be sent again whole.',
    params: SourceParams,
    query: OneQuery,
    body: PushedRecordSchema,
    documentedBody: Type.Union([Type.Array(PushedRecordSchema), PushedRecordSchema]),
    ownBody: 'stream',
    bodyBytes: PUSH.bodyBytes,
    consumes: BODY_TYPES,
    accepts: [NDJSON],
    anyAccept: true,
    answer: { description: 'One line for each record', contentType: NDJSON },
    alsoAnswers: { 409: changing[409], 422: changing[422] },
    async handle(call) {
      const context = await contextOf(call);
      const request = call.body as unknown as IncomingMessage;
      const isDryRun = call.query.dryRun === true;
      const lines = await answerManyOnce(context, { call, request, isDryRun }, (onChunk) =>
        new Batch(context, isDryRun).run(
          request,
          splitterOf(call.headers['content-type'], PUSH.recordBytes),
          onChunk,
        ),
      );
      return { headers: { 'content-type': `${NDJSON}; charset=utf-8` }, chunks: linesOf(lines) };
    },
  });
}

/** A few hundred lines at a time. */
async function* linesOf(lines: readonly string[]): AsyncGenerator<string, void, void> {
  const CHUNK = 200;
  for (let from = 0; from < lines.length; from += CHUNK)
    yield `${lines.slice(from, from + CHUNK).join('\n')}\n`;
}

function snapshotRoute(contextOf: FindContextOf): Route<Principal> {
  return route<Principal>()({
    ...common,
    codes: [...common.codes, 'OVERLOADED'],
    method: 'POST',
    path: '/v1/sources/:source/snapshot',
    operation: 'takeSnapshot',
    summary: 'End what a list lacks',
    description:
      'The keys of all your listings, as JSON lines or a JSON array of strings. Listings of the source that have not ended ' +
      'and are missing in it end. Where it names none, or more than 10 and more than 5 % would end, nothing ends before ' +
      'you send it again with `accept=true`. With `sequence` or `modifiedAt`, listings with newer messages stay.',
    params: SourceParams,
    query: SnapshotQuery,
    body: Type.String(),
    documentedBody: Type.Union([Type.Array(Type.String()), Type.String()]),
    ownBody: 'stream',
    bodyBytes: PUSH.bodyBytes,
    consumes: BODY_TYPES,
    answer: { description: 'What ended', schema: SnapshotSchema },
    alsoAnswers: {
      409: 'Too much would end, or a request with this Idempotency-Key is under way',
      422: changing[422],
    },
    async handle(call) {
      const context = await contextOf(call);
      const request = call.body as unknown as IncomingMessage;
      const { query, headers } = call;
      const options = {
        status: query.status ?? 'WITHDRAWN',
        order: orderOf(query),
        accept: query.accept === true,
        isDryRun: query.dryRun === true,
      };
      const [text = ''] = await answerManyOnce(
        context,
        { call, request, isDryRun: options.isDryRun },
        async (onChunk) => {
          const splitter = splitterOf(headers['content-type'], snapshotPieceBytes);
          const result = await takeSnapshot(context, { request, splitter, onChunk }, options);
          return { lines: [JSON.stringify(result)], isFinal: true };
        },
      );
      return { headers: { 'content-type': 'application/json; charset=utf-8' }, text };
    },
  });
}

const splitterOf = (contentType = '', maxBytes: number): Splitter =>
  contentType.toLowerCase().startsWith('application/json') ? arraySplitter(maxBytes) : lineSplitter(maxBytes);

/** Throws INVALID_PARAMETER where both are given. */
function orderOf(query: { readonly sequence?: number; readonly modifiedAt?: string }): Order | null {
  const { sequence, modifiedAt } = query;
  if (sequence !== undefined && modifiedAt !== undefined)
    throw invalidParameter('modifiedAt', 'cannot be sent with sequence: one of them orders your messages');
  if (sequence !== undefined) return { kind: 'sequence', value: sequence };
  return modifiedAt === undefined ? null : { kind: 'modifiedAt', value: new Date(modifiedAt).toISOString() };
}
