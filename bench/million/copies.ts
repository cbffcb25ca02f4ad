// Templates of rows: lines for COPY of one home, with gaps for what differs in others like it.

import { createHash } from 'node:crypto';
import type { Placement } from '../../src/areas/placement.ts';
import { listingId, propertyId } from '../../src/ingest/identity.ts';
import type { ListingWrite } from '../../src/ingest/write-plan.ts';
import { coarseLocation } from '../../src/listings/presenter.ts';
import { areaWord } from '../../src/text/tokenize.ts';
import { line } from './copy.ts';
import { degrees, type Marks, marksOf, type SeenDraft } from './drafts.ts';
import { type PropertyRows, SOURCE, TABLES, type Table } from './rows.ts';

/** A text cut at its gaps: literal parts in even places, names of gaps in odd ones. */
type Cut = readonly string[];

/** A home cut up, to be filled in as any other of its kind. */
export interface Pattern {
  readonly marks: Marks;
  readonly lines: Readonly<Record<Table, readonly Cut[]>>;
  readonly listings: readonly ListingPattern[];
}

interface ListingPattern {
  readonly write: ListingWrite;
  readonly identity: Cut;
  readonly key: Cut;
  /** What its digest is of. */
  readonly said: Cut;
}

/** Stands in no text: between two of them a gap has its name. */
const EDGE = '\u0001';
const gap = (name: string, at: number): string => `${EDGE}${name}${at}${EDGE}`;

/** Cuts the rows of a home up. `number` is its own, which need not be one that is written. */
export function patternOf(number: number, seen: readonly SeenDraft[], made: PropertyRows): Pattern {
  const marks = marksOf(number);
  const known = new Map<string, string>([
    [marks.key, gap('key', 0)],
    [marks.house, gap('house', 0)],
  ]);
  for (const [at, { id, propertyId: property }] of made.writes.entries()) {
    known.set(id.slice(4), gap('listing', at)).set(property.slice(4), gap('property', at));
  }
  const { location } = made.writes[0]?.draft ?? {};
  if (location) known.set(`"lat":${location.lat},"lng":${location.lng}`, gap('place', 0));
  const found = new RegExp([...known.keys()].map(RegExp.escape).join('|'), 'g');
  const cut = (text: string): Cut => text.replace(found, (each) => known.get(each) ?? each).split(EDGE);
  const place = new Map(made.writes.map(({ id }, at) => [id, at]));
  const lines = Object.fromEntries(
    TABLES.map((table) => [
      table,
      made.rows[table].map((row) => cut(line(gapped(row, place.get(String(row.id ?? row.listing_id)) ?? 0)))),
    ]),
  ) as unknown as Record<Table, Cut[]>;
  const listings = made.writes.map((write, at) => ({
    write,
    identity: cut(write.identity),
    key: cut(write.draft.listingKey),
    said: cut(JSON.stringify({ ...seen[at]?.draft, upstreamModifiedAt: null })),
  }));
  return { marks, lines, listings };
}

/** Columns that are worked out for each home anew. */
function gapped(row: Readonly<Record<string, unknown>>, at: number): Record<string, unknown> {
  const values: Record<string, unknown> = { ...row };
  for (const column of ['area_nos', 'digest', 'location'] as const)
    if (column in row) values[column] = gap(column, at);
  // The areas are behind the words.
  if ('words' in row)
    values.words = String(row.words)
      .replaceAll(/ '#\d+'/g, '')
      .concat(gap('area_words', at));
  return values;
}

const filled = (cut: Cut, gaps: ReadonlyMap<string, string>): string =>
  cut.length === 1
    ? (cut[0] ?? '')
    : cut.map((piece, at) => (at % 2 === 0 ? piece : (gaps.get(piece) ?? ''))).join('');

/** A home of the pattern's kind as lines by table; tells of each listing where it lies. */
export function fill(
  pattern: Pattern,
  number: number,
  placement: Placement,
  lines: Readonly<Record<Table, string[]>>,
  counted: (write: ListingWrite, areaNos: readonly number[]) => void,
): void {
  const marks = marksOf(number);
  const gaps = new Map<string, string>([
    ['key0', marks.key],
    ['house0', marks.house],
  ]);
  const { draft } = pattern.listings[0]?.write ?? {};
  const place = draft?.location ? shifted(draft.location, pattern.marks, marks) : null;
  if (place) gaps.set('place0', `"lat":${place.lat},"lng":${place.lng}`);
  for (const [at, { write, identity, key, said }] of pattern.listings.entries()) {
    const { address, display } = write.draft;
    const areaNos = placement.place(place, address);
    const point = display.address || !place ? place : coarseLocation(place);
    gaps.set(`listing${at}`, listingId(SOURCE, filled(key, gaps)).slice(4));
    gaps.set(`property${at}`, propertyId(filled(identity, gaps)).slice(4));
    gaps.set(`area_nos${at}`, `{${areaNos.join()}}`);
    gaps.set(`area_words${at}`, areaNos.map((no) => ` '${areaWord(no)}'`).join(''));
    gaps.set(`location${at}`, point ? `(${point.lng},${point.lat})` : '\\N');
    gaps.set(`digest${at}`, `\\\\x${createHash('sha256').update(filled(said, gaps)).digest('hex')}`);
    counted(write, areaNos);
  }
  for (const table of TABLES) for (const cut of pattern.lines[table]) lines[table].push(filled(cut, gaps));
}

/** Rounded as the drafts round it. */
function shifted(point: { readonly lat: number; readonly lng: number }, from: Marks, to: Marks) {
  const moved = (value: number, axis: 'lat' | 'lng') =>
    degrees(degrees(value - from.shift[axis]) + to.shift[axis]);
  return { lat: moved(point.lat, 'lat'), lng: moved(point.lng, 'lng') };
}
