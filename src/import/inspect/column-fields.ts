// Columns to fields: names and values together make scores, and the best sum of them decides.

import { LISTING_FIELDS } from '../mapping/fields.ts';
import { assign } from './assignment.ts';
import { scoreName, wordsOf } from './column-names.ts';
import type { ColumnSummary } from './column-summary.ts';
import { meaningOf } from './meanings.ts';
import { currencyIn, readingOf } from './readers.ts';
import { type FileHints, type Reading, textsOf } from './reading.ts';

export interface ColumnField {
  readonly column: ColumnSummary;
  readonly field: string;
  readonly score: number;
  readonly reading: Reading;
}

/** Below this a column is left alone. */
const MIN_SCORE = 0.3;
/** Values of a field must be read to this share. */
const MIN_SHARE = 0.5;
/** How much a name says beside the values. */
const NAME_WEIGHT = 0.4;

export interface AssignmentHints extends FileHints {
  /** Every row is a sale that is over. */
  readonly isClosed: boolean;
}

/** The field of each column that has one. */
export function assignFields(columns: readonly ColumnSummary[], hints: AssignmentHints): ColumnField[] {
  const fields = Object.keys(LISTING_FIELDS).filter((name) => !name.startsWith('location.l'));
  const found = columns.map((column) => {
    const names = nameScores(column, hints);
    return fields.map((field) => scoreOf(column, field, names.get(field) ?? 0, hints));
  });
  const chosen = assign(found.map((row) => row.map((each) => each?.score ?? 0)));
  return chosen.flatMap((at, row) => (at === null ? [] : (found[row]?.[at] ?? [])));
}

const GENERIC_PRICES = /^(?:price|amount|value|precio|preis|prix|importe|montant|prices?usd)$/;
const GENERIC_DATES = /^(?:date|fecha|datum|day)$/;

/** Scores of the name, where a file of closed sales means the price and the date of the sale by mere `price` and `date`. */
function nameScores(column: ColumnSummary, { isClosed }: AssignmentHints): Map<string, number> {
  const names = new Map(scoreName(column.name));
  const key = wordsOf(column.name).join('');
  if (GENERIC_DATES.test(key)) names.set(isClosed ? 'closedAt' : 'onMarketDate', 0.7);
  if (isClosed && GENERIC_PRICES.test(key)) {
    names.set('closePrice', 1);
    names.delete('listPrice');
  }
  return names;
}

function scoreOf(column: ColumnSummary, field: string, name: number, hints: FileHints): ColumnField | null {
  const value = name >= MIN_SCORE ? 0 : valueScore(column, field);
  const definition = LISTING_FIELDS[field];
  if (definition === undefined || Math.max(name, value) < MIN_SCORE || column.filled === 0) return null;
  const reading = readingOf(field, definition, column, hints) ?? null;
  const counted =
    field === 'photoCount' || field === 'rental.petsAllowed'
      ? readingOrPresence(field, column, reading)
      : reading;
  if (counted === null || counted.share < MIN_SHARE) return null;
  const fit = counted.share * (0.5 + 0.5 * counted.plausible) * textFit(field, column);
  const score = Math.max(name * (NAME_WEIGHT + (1 - NAME_WEIGHT) * fit), value * fit);
  return score < MIN_SCORE || fit < 0.2 ? null : { column, field, score, reading: counted };
}

/** `Yes`, `No` and `Thumbnail` say whether there is a photo, which counts as one. */
function readingOrPresence(field: string, column: ColumnSummary, reading: Reading | null): Reading | null {
  if (field !== 'photoCount' || column.values === null || (reading !== null && reading.share >= MIN_SHARE))
    return reading;
  const entries = [...column.values.keys()].map((text) => [text, isNo(text) ? 0 : 1] as const);
  if (!entries.some(([text]) => isNo(text))) return reading;
  const rule = { column: column.name, values: Object.fromEntries(entries) };
  return { rules: [rule], share: 1, plausible: 1, unread: [], doubt: null };
}

const isNo = (text: string): boolean => meaningOf('boolean', text)?.choice === 'false';

/** How much the texts of a column are like those of a text field, 0 to 1. */
function textFit(field: string, column: ColumnSummary): number {
  const texts = textsOf(column);
  const share = (pattern: RegExp): number =>
    texts.filter((text) => pattern.test(text)).length / Math.max(1, texts.length);
  if (field === 'listingKey') return column.seemsUnique ? 1 : 0.7;
  if (field === 'address.postalCode') return share(/^[\p{L}\d][\p{L}\d\s-]{1,10}$/u) * share(/\d/);
  if (field.endsWith('.email')) return share(/^\S+@\S+\.\S+$/);
  if (field.endsWith('.phone')) return share(/\d{3}/);
  if (field === 'address.city' || field === 'address.state') return share(/^\D*\p{L}\D*$/u);
  if (field === 'address.unit') return column.length < 12 ? 1 : 0.2;
  if (field === 'address.full' || field === 'address.streetName') return share(/\p{L}/u);
  if (field === 'description') return column.length > 20 ? 1 : 0.5;
  if (field === 'features') return share(/\p{L}/u) * (column.length > 400 ? 0.4 : 1);
  if (field === 'agent.name' || field === 'office.name') return share(/\p{L}{2}/u);
  return 1;
}

const IMAGE = /^\[?"?https?:\S+\.(?:jpe?g|png|webp|avif|gif)\b/i;

/** How much the values alone say that a column is of a field, whatever its name. */
function valueScore(column: ColumnSummary, field: string): number {
  const texts = textsOf(column);
  const share = (test: (text: string) => boolean): number =>
    texts.filter(test).length / Math.max(1, texts.length);
  const words = (name: string): number =>
    column.values !== null && column.values.size <= 60
      ? share((text) => /\p{L}{3}/u.test(text) && meaningOf(name, text)?.isSure === true)
      : 0;
  if (field === 'photos') return share((text) => IMAGE.test(text)) > 0.8 ? 0.6 : 0;
  if (field === 'listingUrl')
    return share((text) => /^https?:\S+$/.test(text) && !IMAGE.test(text)) > 0.8 ? 0.45 : 0;
  if (field === 'status') return words('status') > 0.8 ? 0.5 : 0;
  if (field === 'propertyType') return words('propertyType') > 0.8 ? 0.5 : 0;
  if (field === 'listingType') return words('listingType') > 0.8 ? 0.45 : 0;
  if (field === 'agent.email') return share((text) => /^\S+@\S+\.\S+$/.test(text)) > 0.8 ? 0.4 : 0;
  if (field === 'listPrice')
    return currencyIn({ ...column, name: '' }) !== null && share((text) => /\d{3}/.test(text)) > 0.7
      ? 0.4
      : 0;
  if (field === 'livingArea')
    return share((text) => /\d\s*(?:m²|m2|sq\.?\s?ft|sqm|qm)/i.test(text)) > 0.8 ? 0.4 : 0;
  if (field === 'description')
    return column.length > 120 && share((text) => /\s\S+\s/.test(text)) > 0.9 ? 0.4 : 0;
  return 0;
}
