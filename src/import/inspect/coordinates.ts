// Coordinates of a file: which columns hold them, in which order, and in which projection.

import { type Field, LISTING_FIELDS } from '../mapping/fields.ts';
import { textOf } from '../mapping/items.ts';
import { compileNumberText } from '../mapping/number-text.ts';
import { NUMBER_FORMATS, readNumber } from '../mapping/numbers.ts';
import { projectionName } from '../mapping/projections.ts';
import type { Rule } from '../mapping/rule.ts';
import { scoreName, wordsOf } from './column-names.ts';
import type { ColumnSummary } from './column-summary.ts';
import { countryOf, type Point, zoneOf } from './countries.ts';
import type { FileSummary } from './file-summary.ts';
import { best, measure } from './measure.ts';
import { isOfOtherGrid, isWebMercator, likelyProjection, pointsOf } from './projected.ts';
import { textsOf } from './reading.ts';

export interface Coordinates {
  /** Null where they cannot be converted. */
  readonly rules: { readonly lat: Rule; readonly lng: Rule } | null;
  readonly columns: readonly string[];
  readonly confidence: number;
  readonly share: number;
  /** Places of the sampled rows. */
  readonly points: readonly Point[];
  /** What is unusual about them, in a sentence; null for nothing. */
  readonly note: string | null;
  readonly doubt: string | null;
}

type Pair = readonly [x: number, y: number];

const ANY_NUMBER: Field = { kind: 'number', min: -1e9, max: 1e9 };
const MIN_NAME_SCORE = 0.6;

/** The coordinates of a file; null where it has none. */
export function findCoordinates(
  file: FileSummary,
  country: string | null,
  nulls: readonly string[],
): Coordinates | null {
  const filled = file.columns.filter((column) => column.filled > 0);
  const lat = bestNamed(filled, 'location.lat', nulls);
  const lng = bestNamed(
    filled.filter((column) => column !== lat),
    'location.lng',
    nulls,
  );
  if (lat !== undefined && lng !== undefined) return inTwoColumns(file, { lat, lng }, country, nulls);
  return inOneColumn(file, filled, country);
}

function bestNamed(
  columns: readonly ColumnSummary[],
  field: string,
  nulls: readonly string[],
): ColumnSummary | undefined {
  const named = columns
    .map((column) => ({ column, score: scoreName(withoutProjection(column.name)).get(field) ?? 0 }))
    .filter(({ column, score }) => score >= MIN_NAME_SCORE && formatOf(column, nulls) !== null)
    .sort((a, b) => b.score - a.score);
  return named[0]?.column;
}

/** `utm_x_32632` is an x. */
const withoutProjection = (name: string): string =>
  name.replace(
    /utm\s?\d{0,2}[ns]?|epsg:?|etrs\s?89|wgs\s?84|osgb\d*|bng|lv\d\d|l93|lambert|\d{4,6}|\(.*\)/gi,
    ' ',
  );

/** The format of a column of numbers; null for another column. */
function formatOf(
  column: ColumnSummary,
  nulls: readonly string[],
): { readonly format: string | undefined; readonly share: number } | null {
  const formats = [undefined, '1234,5', ...NUMBER_FORMATS];
  const found = best(
    formats.map((format) =>
      measure([{ column: column.name, ...(format !== undefined && { format }) }], ANY_NUMBER, column, nulls),
    ),
  );
  return found === null || found.share < 0.5 ? null : { format: found.rules[0]?.format, share: found.share };
}

function inTwoColumns(
  file: FileSummary,
  { lat, lng }: { readonly lat: ColumnSummary; readonly lng: ColumnSummary },
  country: string | null,
  nulls: readonly string[],
): Coordinates | null {
  const [latFormat, lngFormat] = [formatOf(lat, nulls), formatOf(lng, nulls)];
  if (latFormat === null || lngFormat === null) return null;
  const numberOf = (raw: unknown, format: string | undefined): number => {
    try {
      return readNumber(textOf(raw) ?? '', format);
    } catch {
      return Number.NaN;
    }
  };
  const pairs = file.sample
    .map(
      (row): Pair => [numberOf(row[lng.name], lngFormat.format), numberOf(row[lat.name], latFormat.format)],
    )
    .filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y) && (x !== 0 || y !== 0));
  if (pairs.length === 0) return null;
  const common = {
    columns: [lat.name, lng.name],
    confidence: 1,
    share: Math.min(latFormat.share, lngFormat.share),
    doubt: null,
  };
  const ruleOf = (column: ColumnSummary, format: string | undefined): Rule => ({
    column: column.name,
    ...(format !== undefined && { format }),
  });
  if (median(pairs.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y)))) > 360)
    return projected({ lat, lng, format: latFormat.format, pairs, country, share: common.share });
  const points = pairs.map(([x, y]) => ({ lat: y, lng: x }));
  const rules = { lat: ruleOf(lat, latFormat.format), lng: ruleOf(lng, lngFormat.format) };
  if (!isSwapped(points, country)) return { ...common, rules, points, note: null };
  return {
    ...common,
    rules: { lat: rules.lng, lng: rules.lat },
    points: points.map(swap),
    note: `${lat.name} and ${lng.name} are swapped: ${lat.name} holds longitudes, and is read as such`,
  };
}

const swap = ({ lat, lng }: Point): Point => ({ lat: lng, lng: lat });

/** By what no latitude is, else by where the homes should be. */
function isSwapped(points: readonly Point[], country: string | null): boolean {
  const share = (test: (point: Point) => boolean): number => points.filter(test).length / points.length;
  if (share(({ lat }) => Math.abs(lat) > 90) > 0.5) return true;
  const fits = (point: Point): boolean =>
    country === null ? zoneOf(point) !== null : countryOf(point) === country;
  return share(fits) < 0.2 && share((point) => fits(swap(point))) > 0.8;
}

interface ProjectedColumns {
  readonly lat: ColumnSummary;
  readonly lng: ColumnSummary;
  readonly format: string | undefined;
  readonly pairs: readonly Pair[];
  readonly country: string | null;
  readonly share: number;
}

function projected({ lat, lng, format, pairs, country, share }: ProjectedColumns): Coordinates {
  const words = [...wordsOf(lat.name), ...wordsOf(lng.name)].join(' ');
  const center: Pair = [median(pairs.map(([x]) => x)), median(pairs.map(([, y]) => y))];
  const common = { columns: [lat.name, lng.name], confidence: 0.8, share };
  const refused = isOfOtherGrid(center, words, country);
  const code = refused === null ? likelyProjection(center, words, country) : null;
  if (code === null) {
    const what = refused ?? 'a projection that their numbers do not name';
    const note = `${lng.name} and ${lat.name} are metres or feet of ${what}, which is not converted: the homes are on no map. \`ogr2ogr -t_srs EPSG:4326\` converts them, or name the zone of UTM as "projection" in the map`;
    return { ...common, rules: null, points: [], note, doubt: null };
  }
  const columns = [lng.name, lat.name];
  const rule: Rule = { columns, projection: code, ...(format !== undefined && { format }) };
  const name = `${projectionName(code)} (${code})`;
  const isNamed = new RegExp(code.slice(5)).test(words) || isWebMercator(code);
  return {
    ...common,
    rules: { lat: rule, lng: rule },
    points: pointsOf(code, pairs),
    note: `${columns.join(' and ')} are metres of ${name}, and are converted`,
    doubt: isNamed
      ? null
      : `No column names the projection: ${name} is assumed, by the numbers and the country`,
  };
}

const PAIR = /^\D{0,20}[-+]?\d{1,3}[.,]\d+\D{1,5}\d{1,3}[.,]\d+\D{0,3}$/;

/** `47.61, -122.33`, `(47.61 -122.33)` or `POINT (-122.33 47.61)`. */
function inOneColumn(
  file: FileSummary,
  columns: readonly ColumnSummary[],
  country: string | null,
): Coordinates | null {
  const column = columns.find((each) => {
    const texts = textsOf(each);
    return texts.filter((text) => PAIR.test(text)).length > 0.8 * texts.length;
  });
  if (column === undefined) return null;
  const takeFirst = compileNumberText({ part: 'first' }, 'degrees');
  const takeSecond = compileNumberText({ part: 'second' }, 'degrees');
  const isComma =
    textsOf(column).some((text) => /\d,\d/.test(text)) &&
    !textsOf(column).some((text) => /\d\.\d/.test(text));
  const numberOf = (text = ''): number => Number(text.replace(',', '.'));
  const points = file.sample.flatMap((row) => {
    const text = textOf(row[column.name]) ?? '';
    const [lat, lng] = [numberOf(takeFirst?.(text).text), numberOf(takeSecond?.(text).text)];
    return PAIR.test(text) && Number.isFinite(lat) && Number.isFinite(lng) ? [{ lat, lng }] : [];
  });
  const isWkt = textsOf(column).some((text) => /point/i.test(text));
  const swapped = isWkt || (points.length > 0 && isSwapped(points, country));
  const format = isComma ? { format: '1234,5' } : {};
  const rule = (part: 'first' | 'second'): Rule => ({ column: column.name, part, ...format });
  const [lat, lng] = swapped ? (['second', 'first'] as const) : (['first', 'second'] as const);
  const { share } = measure([rule(lat)], LISTING_FIELDS['location.lat'] ?? ANY_NUMBER, column, []);
  return {
    rules: { lat: rule(lat), lng: rule(lng) },
    columns: [column.name],
    confidence: 0.9,
    share,
    points: swapped ? points.map(swap) : points,
    note: swapped ? `${column.name} holds the longitude first` : null,
    doubt: null,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
