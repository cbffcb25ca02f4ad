// Filters on location, and full-text search.

import { Type } from 'typebox';
import { choices, list, names, optional, text } from '../../http/input/parameter-kinds.ts';

export const TEXT_FIELDS = ['address', 'id', 'area', 'description'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export const placeParameters = {
  areaId: optional(
    list(Type.String({ maxLength: 200 }), {
      description:
        'In any of these areas: inside the boundary, or if it has none, by address or through its child areas.',
      aliases: ['locationId', 'areas'],
      maxItems: 50,
    }),
  ),
  city: names('City', 'cities'),
  neighborhood: names('Neighbourhood in the source’s spelling'),
  county: names('County'),
  state: names('State or province'),
  postalCode: names('Postal code', 'postalCodes', 'zip', 'zipCode'),
  country: names('Country'),
  address: text(
    'Address or the start of one. Ignores case, accents, punctuation and abbreviations such as St for Street.',
    200,
  ),
  bbox: optional(
    Type.String({
      maxLength: 120,
      written: 'numbers',
      description:
        'minLng,minLat,maxLng,maxLat. Includes its edges. minLng above maxLng crosses the antimeridian.',
    }),
  ),
  lat: optional(
    Type.Number({ minimum: -90, maximum: 90, description: 'Centre of `radius`.', aliases: ['latitude'] }),
  ),
  lng: optional(
    Type.Number({
      minimum: -180,
      maximum: 180,
      description: 'Centre of `radius`.',
      aliases: ['longitude', 'long'],
    }),
  ),
  radius: text(
    '`2km`, `1.5mi` or `800m`; a plain number is in miles or kilometres, depending on `units`. At most 100 km.',
    20,
  ),
  polygon: optional(
    Type.String({
      maxLength: 60_000,
      written: 'geometry',
      description:
        '`lng,lat;lng,lat;...` or a GeoJSON Polygon or MultiPolygon, with 3 to 500 corners in all. Includes ' +
        'edges, excludes holes. Across the antimeridian, cut it in two there (RFC 7946, section 3.1.9), or use ' +
        'longitudes past 180 or -180. Ambiguous edges of more than 180 degrees, rings that cross themselves, ' +
        'holes outside their shell and overlapping parts are refused.',
    }),
  ),
  map: text('Polygons as a JSON list of lists of [lng, lat]; replaces `polygon`.', 60_000),
  points: optional(
    list(Type.String({ maxLength: 60 }), {
      description: 'Corners as `lat,lng`, latitude first; replaces `polygon`.',
      separator: null,
      maxItems: 500,
    }),
  ),
  q: text(
    'Full-text search in address, ids, area names and description. All words must match; names of streets and ' +
      'areas tolerate typos.',
    200,
    'search',
    'keywords',
  ),
  qFields: choices(TEXT_FIELDS, 'Fields that `q` searches. Default: all.'),
};
