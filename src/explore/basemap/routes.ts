// Route of the base map: ranges of its archive, which never change under their URL.

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { isKnown } from '../../http/output/etag.ts';
import type { Headers } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { BASEMAP_PATH, type Basemap, MAX_RANGE } from './archive.ts';

const Params = Type.Object({
  file: Type.String({ maxLength: 100, description: 'The version of the archive, with .pmtiles.' }),
});

/** GET /explore/basemap/{file}, for people who may look at the explorer. */
export function basemapRoutes(basemap: Basemap): readonly Route<Principal>[] {
  const { version, size } = basemap;
  const etag = `"${version}"`;
  return [
    route<Principal>()({
      method: 'GET',
      path: `/${BASEMAP_PATH}/:file`,
      operation: 'getBasemap',
      page: true,
      tag: 'Service',
      summary: 'Get a range of the base map',
      access: { credentials: 'optional', scope: 'listings:read', counts: 'tiles' },
      params: Params,
      accepts: ['application/vnd.pmtiles'],
      anyAccept: true,
      answer: { status: 206, description: 'The range.', contentType: 'application/vnd.pmtiles' },
      alsoAnswers: {
        304: 'The content still matches If-None-Match.',
      },
      async handle({ params, headers, caller }) {
        if (params.file !== `${version}.pmtiles`)
          throw new Problem(
            'NOT_FOUND',
            'There is no such base map. Reload the page: it names the current one.',
          );
        // What only people who signed in may see is theirs: no cache between keeps it.
        const scope = caller.kind === 'anonymous' ? 'public' : 'private';
        const common: Headers = {
          'content-type': 'application/vnd.pmtiles',
          'cache-control': `${scope}, max-age=31536000, immutable`,
          'cross-origin-resource-policy': 'same-origin',
          'accept-ranges': 'bytes',
          vary: 'authorization',
          etag,
        };
        if (isKnown(headers['if-none-match'], etag)) return { status: 304, headers: common };
        const { first, last } = readRange(headers.range, size);
        const bytes = await basemap.read(first, last - first + 1);
        return {
          status: 206,
          bytes,
          headers: { ...common, 'content-range': `bytes ${first}-${first + bytes.length - 1}/${size}` },
        };
      },
    }),
  ];
}

/** The bytes that a Range header asks for, both ends included. Throws INVALID_REQUEST. */
function readRange(
  range: string | undefined,
  size: number,
): { readonly first: number; readonly last: number } {
  const refused = (detail: string): Problem =>
    new Problem('INVALID_REQUEST', detail, { headers: { 'content-range': `bytes */${size}` } });
  const [, start, end] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(range?.trim() ?? '') ?? [];
  if (start === undefined || end === undefined)
    throw refused(`Send one range, such as Range: bytes=0-16383, of at most ${MAX_RANGE} bytes.`);
  const [first, last] = [Number(start), Math.min(Number(end), size - 1)];
  if (first > last) throw refused(`The file has ${size} bytes: none are in this range.`);
  if (last - first >= MAX_RANGE) throw refused(`A range may have at most ${MAX_RANGE} bytes.`);
  return { first, last };
}
