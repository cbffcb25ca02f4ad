// Proposal of a map from the summary of a file: a pure function, whose answer the whole file is then checked by.

import { LISTING_FIELDS } from '../mapping/fields.ts';
import type { Rule } from '../mapping/rule.ts';
import { assignFields, type ColumnField } from './column-fields.ts';
import { scoreName, wordsOf } from './column-names.ts';
import type { ColumnSummary } from './column-summary.ts';
import {
  completeAddress,
  completeCurrency,
  completeFrequency,
  completeListingType,
  completePets,
  completePropertyType,
  completeStatus,
  type Found,
} from './completions.ts';
import { type Coordinates, findCoordinates } from './coordinates.ts';
import { countryNamed, countryOf, type Point, stateOfZip, zoneOf } from './countries.ts';
import type { FileSummary } from './file-summary.ts';
import { keyCandidates } from './keys.ts';
import { NULL_WORDS } from './meanings.ts';
import { type ColumnProposal, type Draft, type FieldRules, type Proposal, use } from './proposal.ts';
import { textsOf } from './reading.ts';
import { statedCountry } from './stated-country.ts';

export function propose(file: FileSummary): Proposal {
  const draft: Draft = { fields: {}, questions: [], notes: [], uses: new Map() };
  const nulls = nullsOf(file);
  const stated = statedCountry(file.columns);
  const coordinates = findCoordinates(file, stated, nulls);
  const country = (coordinates === null ? null : majority(coordinates.points, countryOf)) ?? stated;
  const photos = numberedPhotos(file.columns);
  const rooms = file.columns.filter(isBedsAndBaths).slice(0, 1);
  const isClosed = looksClosed(file);
  const free = file.columns.filter(
    (column) =>
      !photos.includes(column) && !rooms.includes(column) && !coordinates?.columns.includes(column.name),
  );
  const assigned = assignFields(free, { country, nulls, isClosed });
  const found: Found = {
    fileName: file.name,
    columns: file.columns,
    byField: new Map(assigned.map(({ field, column }) => [field, column])),
    country,
    nulls,
    isClosed,
  };
  for (const each of assigned) addColumn(draft, each);
  addPhotos(draft, photos);
  addRooms(draft, rooms);
  addCoordinates(draft, coordinates);
  for (const complete of [
    completeListingType,
    completeStatus,
    completePropertyType,
    completeCurrency,
    completeFrequency,
    completeAddress,
    completePets,
  ])
    complete(draft, found);
  addPlaces(draft, found);
  const keys = keyCandidates(file, found.byField, [
    ...(coordinates?.columns ?? []),
    ...photos.map(({ name }) => name),
  ]);
  nameSource(draft, file, keys);
  const timeZone = coordinates === null ? null : onlyZone(coordinates.points);
  return {
    map: {
      kind: 'listings',
      source: { id: slugOf(file.name), name: titleOf(file.name) },
      ...(timeZone !== null && { timeZone }),
      ...(nulls.length > 0 && { nulls: [...nulls] }),
      fields: inOrder(draft.fields),
      ...(draft.questions.length > 0 && { questions: draft.questions }),
    },
    columns: file.columns.map((column) => proposalOf(column, draft)),
    keys,
    notes: draft.notes,
  };
}

/** Words that stand for nothing, as far as the file has them. */
function nullsOf({ columns }: FileSummary): readonly string[] {
  const words = new Set(NULL_WORDS);
  return [...new Set(columns.flatMap((column) => textsOf(column).filter((text) => words.has(text))))];
}

function addColumn(draft: Draft, { column, field, score, reading }: ColumnField): void {
  const isRequired = LISTING_FIELDS[field]?.required === true;
  // What cannot be read in a field that may be empty must not cost the whole row.
  const lenient = reading.share < 1 && !isRequired;
  draft.fields[field] = reading.rules.map((rule) => (lenient ? { ...rule, lenient: true } : rule));
  if (field === 'address.country') nameCountries(draft, column);
  use(draft, column.name, field, score, reading.share);
  if (reading.doubt !== null)
    draft.questions.push({
      field,
      question: `${column.name}: ${reading.doubt}`,
      assumed: assumedOf(reading.rules),
    });
}

/** Names of countries become their codes. */
function nameCountries(draft: Draft, column: ColumnSummary): void {
  const codes = [...(column.values?.keys() ?? [])].flatMap((text) => {
    const code = countryNamed(text);
    return code === null || code === text ? [] : [[text, code] as const];
  });
  if (codes.length > 0)
    draft.fields['address.country'] = [{ column: column.name, values: Object.fromEntries(codes) }];
}

const assumedOf = (rules: readonly Rule[]): string => {
  const [{ unit, format, values } = {}] = rules;
  return unit ?? format ?? (values === undefined ? 'as proposed' : 'the words in "values"');
};

/** `photo1`, `photo2`, `image_3`: columns of one photo each, in their order. */
function numberedPhotos(columns: readonly ColumnSummary[]): ColumnSummary[] {
  const numbered = columns.filter(({ name, filled, ...column }) => {
    const stem = /^(?<stem>.*?\D)[\s_-]*\d+$/.exec(name)?.groups?.stem;
    if (stem === undefined || filled === 0) return false;
    const texts = textsOf({ ...column, name, filled });
    return scoreName(stem).has('photos') && texts.every((text) => /^https?:/.test(text));
  });
  return numbered.length > 1 ? numbered : [];
}

function addPhotos(draft: Draft, photos: readonly ColumnSummary[]): void {
  if (photos.length === 0) return;
  draft.fields.photos = [{ columns: photos.map(({ name }) => name) }];
  for (const { name } of photos) use(draft, name, 'photos', 0.95, 1);
}

/** `3 bd / 2 ba`, in one column. */
function isBedsAndBaths(column: ColumnSummary): boolean {
  const texts = textsOf(column);
  const both = /\d\s*(?:bd|br|bed)\w*\W+\d[\d.,]*\s*ba/i;
  return texts.length > 0 && texts.filter((text) => both.test(text)).length > 0.6 * texts.length;
}

function addRooms(draft: Draft, columns: readonly ColumnSummary[]): void {
  for (const { name } of columns) {
    draft.fields.bedrooms = [{ column: name, part: 'first', lenient: true }];
    draft.fields.bathrooms = [{ column: name, part: 'second', lenient: true }];
    for (const field of ['bedrooms', 'bathrooms']) use(draft, name, field, 0.9, 1);
  }
}

function addCoordinates(draft: Draft, coordinates: Coordinates | null): void {
  if (coordinates === null) {
    draft.notes.push('No column has coordinates: homes are found by their addresses, but are on no map');
    return;
  }
  const { rules, columns, confidence, share, note, doubt } = coordinates;
  if (note !== null) draft.notes.push(note);
  if (rules === null) return;
  const lenient = share < 1 ? { lenient: true } : {};
  draft.fields['location.lat'] = [{ ...rules.lat, ...lenient }];
  draft.fields['location.lng'] = [{ ...rules.lng, ...lenient }];
  for (const [field, { column, columns: both = [] }] of [
    ['location.lat', rules.lat],
    ['location.lng', rules.lng],
  ] as const)
    for (const name of column === undefined ? both : [column]) use(draft, name, field, confidence, share);
  if (doubt !== null)
    draft.questions.push({
      field: 'location.lat',
      question: doubt,
      assumed: rules.lat.projection ?? columns.join(', '),
    });
}

/** Country and state, where no column names them but all of the file is in one. */
function addPlaces(draft: Draft, { country, byField }: Found): void {
  if (draft.fields['address.country'] === undefined && country !== null)
    draft.fields['address.country'] = [{ constant: country }];
  const codes = byField.get('address.postalCode');
  if (draft.fields['address.state'] !== undefined || codes === undefined || country !== 'US') return;
  const states = new Set(textsOf(codes).map(stateOfZip));
  const [state] = states;
  if (states.size === 1 && typeof state === 'string') draft.fields['address.state'] = [{ constant: state }];
}

/** A sale's parcel is what several rows of one key have in common. */
function nameSource(draft: Draft, file: FileSummary, keys: readonly (readonly string[])[]): void {
  const [first = []] = keys;
  draft.fields.listingKey =
    first.length === 1 ? [{ column: first[0] ?? '' }] : [{ columns: [...first], join: '-' }];
  for (const name of first) use(draft, name, 'listingKey', 0.9, 1);
  if (file.rows === 0) draft.notes.push('The file has no rows');
}

/** A file of sales that are over: it says so by its name or its columns, and has no column of statuses. */
function looksClosed({ name, columns }: FileSummary): boolean {
  const scores = columns.filter(({ filled }) => filled > 0).map((column) => scoreName(column.name));
  const has = (field: string, min: number): boolean => scores.some((each) => (each.get(field) ?? 0) >= min);
  const hasStatus = columns.some(
    (column) => (scoreName(column.name).get('status') ?? 0) >= 0.8 && column.filled > 0,
  );
  if (hasStatus) return false;
  const isNamed =
    /(?:^|[^a-z])(?:sold|sales|transactions?|verkauf|ventas|ventes|dvf|price[-_ ]?paid|closed)/i.test(name) &&
    !/for[-_ ]?sale/i.test(name);
  const hasDate =
    has('closedAt', 0.9) ||
    columns.some((column) => /^(?:date|fecha|datum)$/.test(wordsOf(column.name).join('')));
  return isNamed && hasDate && !has('onMarketDate', 0.9);
}

/** What more than half of the places have. */
function majority(points: readonly Point[], of: (point: Point) => string | null): string | null {
  const counts = new Map<string, number>();
  for (const point of points) {
    const name = of(point);
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first !== undefined && first[1] > points.length / 2 ? first[0] : null;
}

/** The time zone of nearly all places; null where they are in several, each of which has its own. */
function onlyZone(points: readonly Point[]): string | null {
  const zone = majority(points, zoneOf);
  const inZone = points.filter((point) => zoneOf(point) === zone).length;
  return zone !== null && inZone >= 0.98 * points.length ? zone : null;
}

const inOrder = (fields: FieldRules): FieldRules =>
  Object.fromEntries(
    Object.keys(LISTING_FIELDS).flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );

function proposalOf(column: ColumnSummary, { uses }: Draft): ColumnProposal {
  const known = uses.get(column.name);
  return {
    column: column.name,
    fields: known?.fields ?? [],
    confidence: known?.confidence ?? 0,
    share: known?.share ?? null,
    empty: column.rows === 0 ? 1 : 1 - column.filled / column.rows,
    samples: column.examples,
  };
}

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '') || 'file';

const titleOf = (name: string): string => {
  const words = name
    .replace(/[_-]+/g, ' ')
    .replace(/[\p{C}]/gu, '')
    .trim()
    .slice(0, 100);
  return words === '' ? 'File' : words.charAt(0).toUpperCase() + words.slice(1);
};
