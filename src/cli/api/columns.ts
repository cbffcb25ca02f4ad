// Columns of what the API lists: of each kind those that people choose by, and for every other its plain members.

import { type Column, EMPTY } from './table.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The value at a path such as `address.city`; undefined where there is none. */
function at(row: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRow(value) ? value[name] : undefined), row);
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value in a cell: lists by commas, objects by their name or their number of members. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) {
    const hasObjects = value.some((one) => typeof one === 'object' && one !== null);
    return hasObjects ? `${value.length} of them` : value.map(cellText).join(', ') || '–';
  }
  if (isRow(value)) return typeof value.name === 'string' ? value.name : JSON.stringify(value);
  return typeof value === 'number' ? numberText(value) : String(value);
}

/** Years and numbers of houses have no comma; from five figures on numbers are amounts. */
const numberText = (value: number): string =>
  Math.abs(value) >= 10_000 ? value.toLocaleString('en-US') : String(value);

export function moneyText(value: unknown, currency: unknown): string {
  if (typeof value !== 'number') return '–';
  try {
    const style = { style: 'currency', currency: String(currency), maximumFractionDigits: 0 } as const;
    return value.toLocaleString('en-US', style);
  } catch {
    return `${numberText(value)} ${cellText(currency)}`;
  }
}

const PER: Readonly<Record<string, string>> = {
  DAILY: '/day',
  WEEKLY: '/week',
  MONTHLY: '/month',
  QUARTERLY: '/quarter',
  ANNUALLY: '/year',
};

export const priceText = (listing: Row): string => {
  const price = moneyText(listing.price, listing.currency);
  return EMPTY.includes(price) ? price : price + (PER[String(listing.priceFrequency)] ?? '');
};

export const addressText = (listing: Row): string => {
  const { full, line1, city } = (listing.address ?? {}) as Row;
  return cellText(full ?? [line1, city].filter((part) => typeof part === 'string').join(', '));
};

const areaText = ({ livingArea, areaUnit }: Row): string =>
  typeof livingArea === 'number' ? `${livingArea.toLocaleString('en-US')} ${cellText(areaUnit)}` : '–';

const timeText = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2') : '–';

const text = (heading: string, path: string, rest: Partial<Column<Row>> = {}): Column<Row> => ({
  heading,
  text: (row) => cellText(at(row, path)),
  ...rest,
});

const number = (heading: string, path: string, rank?: number): Column<Row> =>
  text(heading, path, { isNumber: true, ...(rank !== undefined && { rank }) });

const time = (heading: string, path: string, rank?: number): Column<Row> => ({
  heading,
  text: (row) => timeText(at(row, path)),
  ...(rank !== undefined && { rank }),
});

/** Of a listing below `path`. */
function listingColumns(path?: string): Column<Row>[] {
  const of = (row: Row) => (path === undefined ? row : ((at(row, path) ?? {}) as Row));
  const column = (heading: string, show: (listing: Row) => string, rest: Partial<Column<Row>> = {}) => ({
    heading,
    text: (row: Row) => show(of(row)),
    ...rest,
  });
  return [
    column('PRICE', priceText, { isNumber: true }),
    column('ADDRESS', addressText, { min: 24 }),
    column('BEDS', (listing) => cellText(listing.bedrooms), { isNumber: true, rank: 2 }),
    column('BATHS', (listing) => cellText(listing.bathrooms), { isNumber: true, rank: 3 }),
    column('AREA', areaText, { isNumber: true, rank: 4 }),
    column('STATUS', (listing) => cellText(listing.status), { rank: 1 }),
    column('ID', (listing) => cellText(listing.id)),
  ];
}

/** Kind (`object` of a row) -> its columns. */
const COLUMNS: Readonly<Record<string, readonly Column<Row>[]>> = {
  listing: listingColumns(),
  area: [
    text('NAME', 'name', { min: 12 }),
    text('TYPE', 'type'),
    text('IN', 'ancestors.0.name', { rank: 3 }),
    number('PEOPLE', 'population', 4),
    number('SALES', 'counts.sales', 1),
    number('RENTALS', 'counts.rentals', 2),
    number('DISTANCE', 'distance', 1),
    text('ID', 'id'),
  ],
  watcher: [
    text('NAME', 'name', { min: 12 }),
    text('TARGET', 'target.type'),
    text('STATUS', 'status'),
    text('CADENCE', 'cadence', { rank: 2 }),
    time('CREATED', 'createdAt', 3),
    text('ID', 'id'),
  ],
  event: [
    time('AT', 'timestamp'),
    text('EVENT', 'type'),
    { heading: 'WHAT', text: eventText, min: 16 },
    text('WATCHER', 'watcherId', { rank: 1 }),
  ],
  delivery: [
    time('AT', 'at'),
    text('STATUS', 'status'),
    text('EVENT', 'eventType'),
    number('ATTEMPT', 'attempt', 2),
    number('HTTP', 'httpStatus', 1),
    text('ERROR', 'error', { min: 12, rank: 3 }),
    text('ID', 'id'),
  ],
  change: [
    number('SEQUENCE', 'sequence'),
    time('AT', 'at', 2),
    text('CHANGE', 'type'),
    text('FIELDS', 'changedFields', { min: 12, rank: 1 }),
    { heading: 'ADDRESS', text: (row) => addressText((row.listing ?? {}) as Row), min: 16, rank: 3 },
    text('LISTING', 'listingId'),
  ],
};

/** What an event is about, in one line. */
export function eventText(event: Row): string {
  const listing = at(event, 'data.object');
  if (isRow(listing) && listing.price !== undefined)
    return `${priceText(listing)}  ${addressText(listing)}  ${cellText(listing.status)}  ${cellText(listing.id)}`;
  const data = (event.data ?? {}) as Row;
  return Object.entries(data)
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([name, value]) => `${name} ${cellText(value)}`)
    .join('  ');
}

/** Members that say nothing to people. */
const UNSAID = new Set(['object', 'meta', 'page', 'definition', 'definitions', 'why']);

/** Columns for rows of one kind. `isChosen`: the caller chose members, and sees those. */
export function columnsFor(rows: readonly Row[], isChosen: boolean): readonly Column<Row>[] {
  const [first = {}] = rows;
  const known = COLUMNS[String(first.object)];
  if (known !== undefined && !isChosen) return known;
  const own = plainColumns(rows);
  const hasListing = isRow(first.listing) && !isChosen;
  if (!hasListing) return own;
  const fewer = own.filter(({ heading }) => /^(?:SIMILARITY|DISTANCE|BASIS)$/.test(heading));
  return [...fewer.map((column, place) => ({ ...column, rank: 2 + place })), ...listingColumns('listing')];
}

const MAX_COLUMNS = 10;

/** Plain members of the rows, those of their objects included, as far as there is room. */
function plainColumns(rows: readonly Row[]): Column<Row>[] {
  const paths = new Set<string>();
  for (const row of rows.slice(0, 20)) for (const path of leaves(row, '', 3)) paths.add(path);
  const sorted = [...paths].sort((one, other) => Number(other === 'id') - Number(one === 'id'));
  return sorted.slice(0, MAX_COLUMNS).map((path, place) => {
    const values = rows.map((row) => at(row, path)).filter((value) => value !== null && value !== undefined);
    const isNumber = values.length > 0 && values.every((value) => typeof value === 'number');
    return {
      heading: headingOf(path),
      text: (row) => timeText(cellText(at(row, path))),
      isNumber,
      ...(place > 0 && { rank: place }),
      ...(!isNumber && { min: Math.max(12, path.length) }),
    };
  });
}

const headingOf = (path: string): string =>
  path
    .replace(/^metrics\.|\.value$/g, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[._]/g, ' ')
    .toUpperCase();

/** Paths of plain members; of a figure only its value. */
function leaves(row: Row, prefix: string, depth: number): string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (UNSAID.has(name)) return [];
    if (isRow(value) && 'suppressed' in value) return [`${path}.value`];
    if (isRow(value)) return depth > 1 ? leaves(value, `${path}.`, depth - 1) : [];
    return Array.isArray(value) && value.some(isRow) ? [] : [path];
  });
}

/** One object as rows of a name and a value, without what is unknown. */
export function detailsOf(object: Row): (readonly [name: string, value: string])[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (UNSAID.has(name) || value === null) return [];
    if (isRow(value) && 'suppressed' in value && 'value' in value)
      return [[name, figureText(value)] as const];
    if (!isRow(value)) return [[name, timeText(cellText(value))] as const];
    return detailsOf(value).map(([inner, text]) => [`${name}.${inner}`, text] as const);
  });
}

function figureText({ value, suppressed, n, unit }: Row): string {
  if (suppressed === true) return `– (too few: ${cellText(n)})`;
  return `${cellText(value)} ${unit === 'count' ? '' : `${cellText(unit)} `}(of ${cellText(n)})`;
}
