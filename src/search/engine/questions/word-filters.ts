// Filters over words: statuses, codes of dictionaries, lists, and texts.

import type { Status } from '../../../listings/vocabulary.ts';
import type { ListColumn, WordColumn } from '../../query/condition.ts';
import type { CodeColumn } from '../columns/columns.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import { findRowById } from '../columns/ids.ts';
import { type CodeArray, type Columns, isSegment, type Lists, type Texts } from '../columns/segment.ts';
import { bitsFilter, flagBits } from './number-filters.ts';
import { type Filter, type FilterContext, NOTHING, rowsAtOnce } from './scan.ts';
import type { TextMatch } from './text-match.ts';

/** Listings in one of the statuses of every list, which may be shown. Those that are active stand first in a segment. */
export function statusFilter(
  lists: readonly (readonly Status[])[],
  ignoreDisplayRules: boolean,
  columns: Columns,
  { dictionaries }: FilterContext,
): Filter {
  const displayed = ignoreDisplayRules ? [] : [bitsFilter(columns.flags, flagBits('displayed', true))];
  const statuses = lists.map((statuses) => codesFilter(columns.codes.status, dictionaries.status, statuses));
  const both = together([...statuses, ...displayed]);
  if (!isSegment(columns)) return both;
  const { shown } = columns;
  const takesActive = lists.every((statuses) => statuses.includes('ACTIVE'));
  const takesNothingElse = !ignoreDisplayRules && lists.some((statuses) => statuses.join() === 'ACTIVE');
  return {
    ...both,
    judge(_block, first, end) {
      if (end <= shown) return takesActive ? 'all' : 'none';
      return first >= shown && takesNothingElse ? 'none' : 'some';
    },
  };
}

/** One filter after the other. */
function together(filters: readonly Filter[]): Filter {
  return {
    cost: filters.reduce((sum, { cost }) => sum + cost, 0),
    narrow: (rows, count) => filters.reduce((left, filter) => filter.narrow(rows, left), count),
  };
}

/** Words of a column that are one of a few. */
export function wordsFilter(
  column: WordColumn,
  words: readonly string[],
  columns: Columns,
  { dictionaries }: FilterContext,
): Filter {
  if (column === 'id') return idsFilter(words, columns);
  if (column === 'mlsNumber') return textsFilter(columns.texts.mlsNumber, words);
  return codesFilter(columns.codes[column as CodeColumn], dictionaries[column as CodeColumn], words);
}

function codesFilter(codes: CodeArray | undefined, dictionary: Dictionary, words: readonly string[]): Filter {
  const wanted = [...new Set(words.flatMap((word) => dictionary.findAll(word)))];
  const [only, ...others] = wanted;
  if (codes === undefined || only === undefined) return NOTHING;
  if (others.length === 0) return codeFilter(codes, only);
  const isWanted = new Uint8Array(dictionary.size);
  for (const code of wanted) isWanted[code] = 1;
  return {
    cost: 1,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        kept += isWanted[codes[row] as number] as number;
      }
      return kept;
    },
  };
}

function codeFilter(codes: CodeArray, code: number): Filter {
  return {
    cost: 1,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        if (codes[row] === code) kept++;
      }
      return kept;
    },
  };
}

/** Listings with these ids. */
function idsFilter(ids: readonly string[], columns: Columns): Filter {
  const texts = textsFilter(columns.texts.id, ids);
  if (!isSegment(columns)) return texts;
  const rows = ids.map((id) => findRowById(columns, id)).filter((row) => row !== null);
  return { ...texts, candidates: Uint32Array.from(new Set(rows)).sort() };
}

const ENCODER = new TextEncoder();

/** Texts that are one of a few. */
function textsFilter({ offsets, bytes }: Texts, texts: readonly string[]): Filter {
  const wanted = texts.map((text) => ENCODER.encode(text)).filter(({ length }) => length > 0);
  if (wanted.length === 0) return NOTHING;
  return {
    cost: 4 * wanted.length,
    rowsAtOnce: rowsAtOnce(wanted.length),
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        const from = offsets[row] as number;
        const length = (offsets[row + 1] as number) - from;
        for (const text of wanted) {
          if (text.length !== length || !startsWith(bytes, from, text)) continue;
          kept++;
          break;
        }
      }
      return kept;
    },
  };
}

/** Addresses that start with a key. */
export function addressFilter(key: string, { texts: { addressKey } }: Columns): Filter {
  const { offsets, bytes } = addressKey;
  const start = ENCODER.encode(key);
  return {
    cost: 4,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        const from = offsets[row] as number;
        if ((offsets[row + 1] as number) - from >= start.length && startsWith(bytes, from, start)) kept++;
      }
      return kept;
    },
  };
}

function startsWith(bytes: Uint8Array, from: number, start: Uint8Array): boolean {
  for (let at = 0; at < start.length; at++) if (bytes[from + at] !== start[at]) return false;
  return true;
}

/** Lists with one of the words, or with all of them. */
export function listFilter(
  {
    column,
    values,
    all,
  }: { readonly column: ListColumn; readonly values: readonly string[]; readonly all: boolean },
  columns: Columns,
  { dictionaries }: FilterContext,
): Filter {
  const known = [...new Set(values)].map((word) => dictionaries[column].find(word));
  const codes = known.filter((code) => code !== undefined);
  if (codes.length === 0 || (all && codes.length < known.length)) return NOTHING;
  const lists = columns.lists[column];
  return all ? together(codes.map((code) => membersFilter(lists, [code]))) : membersFilter(lists, codes);
}

/** Numbers of areas have gaps, and may be large: those from here on are looked up in a set. */
const MAX_MARKS = 2 ** 20;

/** Lists with one of these values. */
export function membersFilter({ offsets, values }: Lists, wanted: readonly number[]): Filter {
  const marked = wanted.filter((value) => value < MAX_MARKS);
  const isWanted = new Uint8Array(marked.reduce((most, value) => Math.max(most, value), 0) + 1);
  for (const value of marked) isWanted[value] = 1;
  const others = marked.length < wanted.length ? new Set(wanted) : null;
  return {
    cost: 6,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        const last = offsets[row + 1] as number;
        for (let each = offsets[row] as number; each < last; each++) {
          const value = values[each] as number;
          if (isWanted[value] !== 1 && others?.has(value) !== true) continue;
          kept++;
          break;
        }
      }
      return kept;
    },
  };
}

/** Listings with all words of a text. */
export function textFilter({ rows: candidates, relevance }: TextMatch): Filter {
  return {
    cost: 1,
    candidates,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        if ((relevance[row] as number) > 0) kept++;
      }
      return kept;
    },
  };
}
