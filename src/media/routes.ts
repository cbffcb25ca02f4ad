// Route of pictures that are served from here: without credentials, since they stand in pages, and only while their listing is shown.

import { Type } from 'typebox';
import type { Reach } from '../access/tiers/reach.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import { Problem } from '../lib/problem.ts';
import type { Database } from '../postgres/client/database.ts';
import type { Originals } from './originals.ts';
import type { PhotoSizes } from './photo-sizes.ts';
import { FORMATS } from './pictures/image-head.ts';
import { findShown } from './shown-store.ts';
import { parseSize, SIZE_FORMATS, type SizeFormat, WIDTHS } from './sizes/sizes.ts';

export interface PhotoParts {
  /** What any channel shows: the addresses of photos stand in its answers. */
  readonly anywhere: Reach;
  readonly database: Database;
  readonly originals: Pick<Originals, 'read'>;
  readonly sizes: Pick<PhotoSizes, 'read'>;
  /** Formats of sizes that are made. */
  readonly sizeFormats: readonly SizeFormat[];
}

const TYPES = FORMATS.map((format) => `image/${format}`);
/**
 * A file never changes: another version has another URL. Shared caches keep none, since they would go on to show photos of listings
 * that are withheld.
 */
const CACHING = 'private, max-age=31536000, immutable';

/** Where no sizes can be made, what stands in their place may get better soon. */
const SUBSTITUTE_CACHING = 'private, max-age=300';

const Params = Type.Object({
  listing: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,100}$',
    missing: 'NOT_FOUND',
    description: 'The id of the listing.',
  }),
  photo: Type.String({
    pattern: '^[0-9a-f]{32}$',
    missing: 'NOT_FOUND',
    description: 'The version of the photo.',
  }),
  file: Type.String({
    pattern: `^(original|(${WIDTHS.join('|')})\\.(${SIZE_FORMATS.join('|')}))$`,
    missing: 'NOT_FOUND',
    description:
      '`original`: the picture as the source has it, without metadata but its copyright. `320.webp`, `640.webp`, `1280.webp`: no wider than so ' +
      'many pixels, never enlarged; with `.avif` too where the service is set up to make it.',
  }),
});

export function photoRoutes(parts: PhotoParts): readonly Route<Principal>[] {
  const { database, originals, sizes, sizeFormats, anywhere } = parts;
  return [
    route<Principal>()({
      method: 'GET',
      path: '/v1/photos/:listing/:photo/:file',
      operation: 'getPhoto',
      // Its addresses stand in records: nobody makes them up.
      page: true,
      tag: 'Properties',
      summary: 'Get a photo',
      description:
        'A photo or a floor plan of a listing, where this service serves it: records have its URL. It needs no credentials, and is ' +
        'gone as soon as the listing is withheld.',
      access: { credentials: 'none', counts: 'nothing' },
      accepts: TYPES,
      anyAccept: true,
      params: Params,
      answer: { description: 'The photo.', contentType: 'image/jpeg' },
      alsoAnswers: {
        304: 'The photo still matches If-None-Match.',
        404: 'There is no such photo, or it is not shown any more.',
      },
      codes: ['OVERLOADED'],
      async handle({ params: { listing, photo, file }, headers, signal }) {
        const size = parseSize(file);
        if (size !== null && !sizeFormats.includes(size.format)) throw notFound();
        const shown = await database.read((sql) => findShown(sql, listing, photo, anywhere));
        if (shown === null) throw notFound();
        const tag = strongEtag(`${photo} ${file}`);
        const caching = { 'cache-control': CACHING } as const;
        const known = conditional(headers, tag, { headers: caching });
        if (known.status === 304) return known;
        const key = `${listing}-${photo}`;
        if (size !== null) {
          const sized = await sizes.read(key, shown, size, signal);
          if (sized === null) throw notFound();
          const kept = sized.isSized ? known.headers : { 'cache-control': SUBSTITUTE_CACHING };
          return { bytes: sized.file, headers: { ...kept, 'content-type': sized.contentType } };
        }
        const original = await originals.read(key, shown, signal);
        if (original === null) throw notFound();
        return {
          bytes: original.file,
          headers: { ...known.headers, 'content-type': `image/${original.format}` },
        };
      },
    }),
  ];
}

const notFound = (): Problem =>
  new Problem('NOT_FOUND', 'There is no such photo, or it is not shown any more.');
