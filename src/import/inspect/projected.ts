// Projections by their numbers: which one metres are of, given the words of the columns and the country.

import { projectionName, unproject } from '../mapping/projections.ts';
import { countryOf, type Point } from './countries.ts';

type Pair = readonly [x: number, y: number];

/** Grids that are named but not converted: west, south, east and north in their own unit. */
const OTHER_GRIDS = [
  {
    name: 'Swiss LV95 (EPSG:2056)',
    country: 'CH',
    words: /lv95|2056/,
    box: [2_480_000, 1_070_000, 2_840_000, 1_300_000],
  },
  {
    name: 'Lambert-93 of France (EPSG:2154)',
    country: 'FR',
    words: /lambert|2154|l93/,
    box: [80_000, 6_000_000, 1_250_000, 7_130_000],
  },
  {
    name: 'the Dutch RD grid (EPSG:28992)',
    country: 'NL',
    words: /\brd\b|28992/,
    box: [10_000, 300_000, 290_000, 625_000],
  },
  {
    name: 'Swiss LV03 (EPSG:21781)',
    country: 'CH',
    words: /lv03|21781/,
    box: [480_000, 70_000, 840_000, 300_000],
  },
  {
    name: 'the Irish grid (EPSG:2157)',
    country: 'IE',
    words: /itm|2157|29902/,
    box: [400_000, 500_000, 800_000, 970_000],
  },
  {
    name: 'a State Plane of the United States',
    country: 'US',
    words: /state plane|stateplane|spcs|feet/,
    box: [0, 0, 10_000_000, 3_500_000],
  },
] as const;

/** The name of a grid that is not converted; null where the numbers may be of one that is. */
export function isOfOtherGrid([x, y]: Pair, words: string, country: string | null): string | null {
  const within = ([west, south, east, north]: readonly number[]): boolean =>
    x >= (west ?? 0) && x <= (east ?? 0) && y >= (south ?? 0) && y <= (north ?? 0);
  const found = OTHER_GRIDS.find(
    (grid) =>
      within(grid.box) &&
      (grid.words.test(words) || (grid.country === country && !/utm|mercator|3857/.test(words))),
  );
  return found?.name ?? null;
}

/** The usual zone of countries that have several. */
const USUAL_ZONES: Readonly<Record<string, number>> = {
  DE: 32,
  ES: 30,
  FR: 31,
  IT: 32,
  PT: 29,
  SE: 33,
  NO: 33,
  PL: 34,
};

export const isWebMercator = (code: string): boolean => code === 'EPSG:3857';

/** The projection that a point in metres is most probably of; null where several could be or none is known. */
export function likelyProjection(center: Pair, words: string, country: string | null): string | null {
  const named = /\b(3857|27700|32[67]\d\d|258[23]\d)\b/.exec(words)?.[1];
  if (named !== undefined && projectionName(`EPSG:${named}`) !== null) return `EPSG:${named}`;
  const zone = /utm\D{0,6}(?<zone>\d{1,2})\s?(?<south>s\b)?/.exec(words)?.groups;
  if (zone?.zone !== undefined) {
    const code = `EPSG:32${zone.south === undefined ? 6 : 7}${zone.zone.padStart(2, '0')}`;
    if (projectionName(code) !== null) return code;
  }
  const fits = (code: string): boolean => {
    const point = unproject(code, ...center);
    const found = point === null ? null : countryOf({ lng: point[0], lat: point[1] });
    return found !== null && (country === null || found === country);
  };
  const isBritish =
    /osgb|british|bng/.test(words) || country === 'GB' || (country === null && /easting/.test(words));
  if (isBritish && isWithinBritishGrid(center) && fits('EPSG:27700')) return 'EPSG:27700';
  if (!/utm/.test(words) && fits('EPSG:3857')) return 'EPSG:3857';
  return country === null ? null : zoneOfCountry(country, fits);
}

const isWithinBritishGrid = ([x, y]: Pair): boolean => x > 0 && x < 700_000 && y > 0 && y < 1_300_000;

function zoneOfCountry(country: string, fits: (code: string) => boolean): string | null {
  const zones = Array.from({ length: 60 }, (_, at) => String(at + 1).padStart(2, '0'));
  const fitting = zones.flatMap((zone) => [`EPSG:326${zone}`, `EPSG:327${zone}`]).filter(fits);
  const usual = `EPSG:326${USUAL_ZONES[country] ?? ''}`;
  if (fitting.includes(usual)) return usual;
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

export function pointsOf(code: string, pairs: readonly Pair[]): Point[] {
  return pairs.flatMap(([x, y]) => {
    const point = unproject(code, x, y);
    return point === null ? [] : [{ lng: point[0], lat: point[1] }];
  });
}
