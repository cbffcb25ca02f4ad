// Owns the parameters of searches that say where, and in which words.

import { Type } from 'typebox';
import { choices, list, names, optional, text } from '../../http/input/parameter-kinds.ts';

export const TEXT_FIELDS = ['address', 'id', 'area', 'description'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export const placeParameters = {
  areaId: optional(
    list(Type.String({ maxLength: 200 }), {
      description:
        'In any of these areas: within its boundary, or, where it has none, by address or through its children.',
      aliases: ['locationId', 'areas'],
      maxItems: 50,
    }),
  ),
  city: names('City', 'cities'),
  neighborhood: names('Neighbourhood as the source writes it'),
  county: names('County'),
  state: names('State or province'),
  postalCode: names('Postal code', 'postalCodes', 'zip', 'zipCode'),
  country: names('Country'),
  address: text(
    'The address, or its beginning: case, accents, punctuation and how Street is written do not matter.',
    200,
  ),
  bbox: optional(
    Type.String({
      maxLength: 120,
      written: 'numbers',
      description:
        'minLng,minLat,maxLng,maxLat; edges included; minLng above maxLng crosses the antimeridian.',
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
    '`2km`, `1.5mi`, `800m`; a bare number is in miles or kilometres by `units`; at most 100 km.',
    20,
  ),
  polygon: optional(
    Type.String({
      maxLength: 60_000,
      written: 'geometry',
      description:
        '`lng,lat;lng,lat;...` or a GeoJSON Polygon or MultiPolygon; 3 to 500 corners in all; edges included, ' +
        'holes left out. Across the antimeridian: cut in two there (RFC 7946, section 3.1.9), or with longitudes that ' +
        'go on past 180 or -180; an edge of more than 180 degrees is refused, as it can be meant either way round. ' +
        'So are rings that cross themselves, holes outside their shell and parts that overlap.',
    }),
  ),
  map: text('Polygons as a JSON list of lists of [lng, lat]; in place of `polygon`.', 60_000),
  points: optional(
    list(Type.String({ maxLength: 60 }), {
      description: 'Corners as `lat,lng`, latitude first; in place of `polygon`.',
      separator: null,
      maxItems: 500,
    }),
  ),
  q: text(
    'Words to be found in address, ids, area names or description, all of them; misspelt names of streets and ' +
      'areas are met too.',
    200,
    'search',
    'keywords',
  ),
  qFields: choices(TEXT_FIELDS, 'Where the words of `q` are looked for; by default everywhere.'),
};
