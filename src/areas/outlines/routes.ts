// Route of the outlines that maps in browsers are drawn from.

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { badGeometry, checkPoint } from '../../geometry/geometry-fault.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { conditional, weakEtag } from '../../http/output/etag.ts';
import type { MapBox } from '../../page/map/mercator.ts';
import type { Outlines } from './outlines.ts';

const OutlineQuery = Type.Object({
  v: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Version of the areas; responses for the current one may be cached for good.',
    }),
  ),
  bbox: Type.Optional(
    Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description:
        'minLng,minLat,maxLng,maxLat of the map; default: around all areas. minLng above maxLng crosses the antimeridian.',
    }),
  ),
  zoom: Type.Optional(
    Type.Number({ minimum: 0, maximum: 22, description: 'Zoom of the map, with tiles of 512 pixels.' }),
  ),
});

export function outlineRoutes(outlines: Outlines): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      method: 'GET',
      path: '/explore/outlines',
      page: true,
      tag: 'Service',
      operation: 'getOutlines',
      summary: 'Get the outlines of areas for a map',
      access: { credentials: 'none', counts: 'nothing' },
      query: OutlineQuery,
      answer: { description: 'Outlines with their version.', contentType: 'application/json' },
      alsoAnswers: { 304: 'The outlines still match If-None-Match.' },
      async handle({ query, headers }) {
        const { v, bbox, zoom } = query;
        const json = await outlines.in(bbox === undefined ? null : boxOf(bbox), zoom ?? null);
        const isCurrent = v === json.version;
        return conditional(headers, weakEtag('outlines', json.version, bbox?.join() ?? '', zoom ?? ''), {
          json,
          headers: { 'cache-control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache' },
        });
      },
    }),
  ];
}

function boxOf([minLng = 0, minLat = 0, maxLng = 0, maxLat = 0]: readonly number[]): MapBox {
  checkPoint('bbox', { lng: minLng, lat: minLat });
  checkPoint('bbox', { lng: maxLng, lat: maxLat });
  if (minLat >= maxLat || minLng === maxLng) throw badGeometry('bbox', 'it has no width or height');
  return [minLng, minLat, maxLng, maxLat];
}
