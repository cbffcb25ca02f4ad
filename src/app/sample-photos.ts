// Photos of the sample market, served at the service's own URL: the market itself listens on loopback only.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import { Bulkhead, BulkheadFull } from '../lib/bulkhead.ts';
import type { Outbound, OutboundAnswer } from '../lib/outbound.ts';
import { OutboundFailure } from '../lib/outbound-failure.ts';
import { Problem } from '../lib/problem.ts';

const PATH = '/sample/photos';
const TYPE = 'image/svg+xml; charset=utf-8';

/** Base of the photos' URLs, which continue with `/{key}/{file}`. */
export const samplePhotosUrl = (publicUrl: string): string => `${publicUrl}${PATH}`;

/** Milliseconds, and bytes. */
const DEADLINE_MS = 5_000;
const MAX_BYTES = 65_536;

/** An SVG opened by itself must not run scripts or load anything. */
const HEADERS = {
  'content-type': TYPE,
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'cache-control': 'public, max-age=86400',
};

const Params = Type.Object({
  key: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,40}$',
    missing: 'NOT_FOUND',
    description: 'The listing’s key.',
  }),
  file: Type.String({
    pattern: '^([0-9]{1,2}|tour)[.]svg$',
    missing: 'NOT_FOUND',
    description: 'The number of the photo, or `tour`.',
  }),
});

const Query = Type.Object({
  w: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 4_000,
      description: 'Width in pixels. Default: the original width.',
    }),
  ),
});

export interface SamplePictures {
  /** The market's own URL, without a slash at its end. */
  readonly url: string;
  readonly outbound: Pick<Outbound, 'send'>;
}

export function samplePhotoRoute({ url: sampleUrl, outbound }: SamplePictures): Route<Principal> {
  const bulkhead = new Bulkhead({ maxConcurrent: 8, maxQueue: 200 });
  return route<Principal>()({
    method: 'GET',
    path: `${PATH}/:key/:file`,
    operation: 'getSamplePhoto',
    page: true,
    tag: 'Service',
    summary: 'Get a photo of the sample market',
    access: { credentials: 'none', counts: 'nothing' },
    accepts: ['image/svg+xml'],
    anyAccept: true,
    params: Params,
    query: Query,
    answer: { description: 'The picture.', contentType: 'image/svg+xml' },
    alsoAnswers: { 304: 'The photo still matches If-None-Match.' },
    async handle({ params: { key, file }, query: { w }, headers, signal }) {
      const url = `${sampleUrl}/photos/${key}/${file}${w === undefined ? '' : `?w=${w}`}`;
      const fetched = await bulkhead
        .run(signal, () => outbound.send({ url, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES, signal }))
        .catch((error: unknown) => {
          throw error instanceof OutboundFailure || error instanceof BulkheadFull ? unavailable() : error;
        });
      const text = pictureOf(fetched);
      return conditional(headers, strongEtag(text), { text, headers: HEADERS });
    },
  });
}

/** Throws NOT_FOUND if there is no such photo, OVERLOADED for any other response. */
function pictureOf({ status, headers, body }: OutboundAnswer): string {
  if (status === 404) throw new Problem('NOT_FOUND', 'The sample market has no such photo.');
  if (status !== 200 || headers['content-type'] !== TYPE) throw unavailable();
  return body.toString();
}

const unavailable = (): Problem =>
  new Problem(
    'OVERLOADED',
    'The sample market does not serve photos at the moment. Try again in a few seconds.',
    { headers: { 'retry-after': '5' } },
  );
