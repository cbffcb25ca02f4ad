// Fields that no column names: required ones by what the file shows, parts of addresses, pets, currency and country.

import { LISTING_FIELDS } from '../mapping/fields.ts';
import type { Rule } from '../mapping/rule.ts';
import { wordsOf } from './column-names.ts';
import type { ColumnSummary } from './column-summary.ts';
import { currencyOf } from './countries.ts';
import { meaningOf } from './meanings.ts';
import { measure } from './measure.ts';
import { type Draft, use } from './proposal.ts';
import { booleanOf, currencyIn, isInThousands } from './readers.ts';
import { textsOf } from './reading.ts';

export interface Found {
  readonly fileName: string;
  readonly columns: readonly ColumnSummary[];
  /** By field: the column that it is taken from. */
  readonly byField: ReadonlyMap<string, ColumnSummary>;
  readonly country: string | null;
  readonly nulls: readonly string[];
  /** Every row is a sale that is over, as no column says. */
  readonly isClosed: boolean;
}

const RENTAL_WORDS = /rent|lease|letting|miete|mietwohn|alquil|loyer|locat|arrend|pcm|lloguer/i;
const FRACTION = 0.8;
/** Prices below are rents, where nothing else says which. */
const MAX_RENT = 15_000;

export function completeListingType(draft: Draft, found: Found): void {
  if (draft.fields.listingType !== undefined) return;
  const isRental = looksRental(found);
  const fallback = isRental.value ? 'rental' : 'sale';
  for (const field of ['status', 'propertyType']) {
    const column = found.byField.get(field);
    const values = column === undefined ? [] : [...(column.values?.keys() ?? [])];
    const entries = values.map((text) => [text, meaningOf('listingType', text)] as const);
    const known = entries.filter(([text, meaning]) => meaning?.isSure && /\p{L}{3}/u.test(text));
    if (column === undefined || known.length === 0 || known.length < entries.length / 3) continue;
    const rule = {
      column: column.name,
      values: Object.fromEntries(entries.map(([text, meaning]) => [text, meaning?.choice ?? null])),
    };
    const isWhole = known.length === entries.length && column.filled === column.rows;
    draft.fields.listingType = isWhole ? [rule] : [rule, { constant: fallback }];
    use(draft, column.name, 'listingType', 0.8, 1);
    return;
  }
  draft.fields.listingType = [{ constant: fallback }];
  draft.questions.push({
    field: 'listingType',
    question: `No column says whether homes are for sale or for rent; ${isRental.reason}`,
    assumed: fallback,
  });
}

/** Whether the homes are for rent, and what shows it. */
function looksRental({ fileName, byField, nulls, isClosed }: Found): {
  readonly value: boolean;
  readonly reason: string;
} {
  const price = byField.get('listPrice') ?? byField.get('closePrice');
  if (byField.has('priceFrequency'))
    return { value: true, reason: 'a column names the period of the price, as for rents' };
  if (RENTAL_WORDS.test(fileName)) return { value: true, reason: 'the name of the file does' };
  if (price !== undefined && RENTAL_WORDS.test(price.name))
    return { value: true, reason: `the column ${price.name} does` };
  if (
    price !== undefined &&
    textsOf(price).some((text) =>
      /pcm|\/\s?mo|\bpw\b|per month|al mes|\/mes|mtl|par mois|\/ ?mois|monat/i.test(text),
    )
  )
    return { value: true, reason: `prices of ${price.name} are by month or week` };
  if (isClosed || price === undefined) return { value: false, reason: 'nothing looks like a rent' };
  const typical = medianOf(price, nulls);
  const value = typical !== null && typical < MAX_RENT;
  return {
    value,
    reason:
      typical === null
        ? 'nothing looks like a rent'
        : `a usual price is ${Math.round(typical).toLocaleString('en-US')}`,
  };
}

function medianOf(column: ColumnSummary, nulls: readonly string[]): number | null {
  const numbers = textsOf(column)
    .filter((text) => !nulls.includes(text))
    .flatMap((text) => {
      const millions = /\d\s*(?:m|mio)\b/i.test(text) ? 1e6 : /\d\s*k\b/i.test(text) ? 1e3 : 1;
      const [digits] = /\d[\d.,'\s]*/.exec(text) ?? [];
      // Only the size matters: groups of three are thousands.
      const value = Number(
        digits
          ?.replace(/[.,'\s](?=\d{3}(?!\d))/g, '')
          .replace(/[,'\s]/g, '.')
          .replace(/\.$/, ''),
      );
      return Number.isFinite(value) && value > 0 ? [value * millions] : [];
    })
    .sort((a, b) => a - b);
  const median = numbers[numbers.length >> 1];
  return median === undefined ? null : median * (isInThousands(column.name) ? 1_000 : 1);
}

export function completeStatus(draft: Draft, found: Found): void {
  if (draft.fields.status !== undefined) return;
  const closed = found.byField.get('closedAt');
  const ask = (question: string, assumed: string): void => {
    draft.questions.push({ field: 'status', question, assumed });
  };
  if (closed !== undefined && closed.filled < closed.rows) {
    draft.fields.status = [
      { constant: 'CLOSED', when: { column: closed.name, isNot: [''] } },
      { constant: 'ACTIVE' },
    ];
    ask(
      `No column says the status; ${closed.name} is filled where a home is sold`,
      `CLOSED where ${closed.name} is filled, else ACTIVE`,
    );
    return;
  }
  const isOver = closed !== undefined || found.isClosed;
  draft.fields.status = [{ constant: isOver ? 'CLOSED' : 'ACTIVE' }];
  ask(
    isOver
      ? 'No column says the status; every row looks like a sale that is over'
      : 'No column says the status; every row is taken for an offer',
    isOver ? 'CLOSED' : 'ACTIVE',
  );
}

export function completePropertyType(draft: Draft, { byField, fileName }: Found): void {
  if (draft.fields.propertyType !== undefined) {
    const column = byField.get('propertyType');
    if (column !== undefined && column.filled < column.rows)
      draft.fields.propertyType = [...draft.fields.propertyType, { constant: 'OTHER' }];
    return;
  }
  const isRental = draft.fields.listingType?.some(({ constant }) => constant === 'rental') ?? false;
  const assumed =
    isRental || /apartment|flat|wohnung|piso/i.test(fileName)
      ? 'APARTMENT'
      : byField.has('lotSize')
        ? 'SINGLE_FAMILY'
        : 'OTHER';
  draft.fields.propertyType = [{ constant: assumed }];
  draft.questions.push({
    field: 'propertyType',
    question: 'No column says what kind of home it is',
    assumed,
  });
}

export function completeCurrency(draft: Draft, { byField, country, columns }: Found): void {
  const column = byField.get('currency');
  if (draft.fields.currency !== undefined && column?.filled === column?.rows) return;
  const prices = ['listPrice', 'closePrice'].flatMap((field) => byField.get(field) ?? []);
  const written =
    prices.map(currencyIn).find((found) => found !== null) ??
    columns
      .map((each) => currencyIn({ ...each, representatives: [] }))
      .find((found) => found !== null && found !== '$');
  const local = country === null ? null : currencyOf(country);
  const isDollar = written === '$' && local !== null && /D$|^MXN|^CLP|^COP|^ARS/.test(local);
  const stated = written === '$' ? 'USD' : written;
  const currency = isDollar ? local : (stated ?? local ?? 'USD');
  draft.fields.currency = [...(draft.fields.currency ?? []), { constant: currency }];
  if (stated !== undefined && stated !== null) return;
  if (column !== undefined) return;
  const why = local === null ? 'and nothing shows the country' : `and the homes are in ${country}`;
  draft.questions.push({
    field: 'currency',
    question: `No column says the currency, ${why}`,
    assumed: currency,
  });
}

/** A weekly rent that its cells name. */
export function completeFrequency(draft: Draft, { byField }: Found): void {
  const price = byField.get('listPrice');
  if (draft.fields.priceFrequency !== undefined || price === undefined) return;
  const texts = textsOf(price);
  const weekly = texts.filter((text) =>
    /\bpp?w\b|per week|\/\s?w(?:ee)?k|pro woche|par semaine/i.test(text),
  ).length;
  if (weekly > FRACTION * texts.length) draft.fields.priceFrequency = [{ constant: 'WEEKLY' }];
}

const PARTS = ['unit', 'streetNumber', 'streetName', 'city', 'state', 'postalCode', 'country'] as const;

/** One address column to its parts, as far as no column of its own has them. */
export function completeAddress(draft: Draft, { byField, nulls }: Found): void {
  const full = byField.get('address.full');
  const street = byField.get('address.streetName');
  const hasPlace = byField.has('address.city') || byField.has('address.postalCode');
  const source = full ?? street;
  if (source === undefined) return;
  const isStreetLine =
    full === undefined ||
    (hasPlace && textsOf(full).filter((text) => /,/.test(text)).length < 0.5 * textsOf(full).length);
  if (full !== undefined && isStreetLine && street === undefined) delete draft.fields['address.full'];
  for (const part of PARTS) {
    const name = `address.${part}`;
    const isOfPlace = !['unit', 'streetNumber', 'streetName'].includes(part);
    const field = LISTING_FIELDS[name];
    const isTaken = draft.fields[name] !== undefined && !(source === street && part === 'streetName');
    if (field === undefined || isTaken || (isStreetLine && isOfPlace)) continue;
    const rule: Rule = { column: source.name, part };
    const read = shareWithPart(rule, name, source, nulls);
    if (
      part === 'streetName' &&
      source === street &&
      draft.fields['address.streetNumber']?.[0]?.column !== street.name
    )
      continue;
    if (read < (part === 'unit' || part === 'country' ? 0.02 : 0.3)) continue;
    draft.fields[name] = [rule];
    use(draft, source.name, name, 0.7, read);
  }
}

/** The share of addresses in which a part is found. */
function shareWithPart(rule: Rule, name: string, source: ColumnSummary, nulls: readonly string[]): number {
  const field = LISTING_FIELDS[name];
  if (field === undefined) return 0;
  const parts = { ...source, representatives: source.representatives };
  const found = source.representatives.filter((each) => {
    const { share } = measure([rule], field, { ...parts, representatives: [each] }, nulls);
    return share === 1;
  });
  return found.length / Math.max(1, source.representatives.length);
}

/** Which animals, beside whether any. */
export function completePets(draft: Draft, { byField, nulls }: Found): void {
  const column = byField.get('rental.petsAllowed');
  const values = [...(column?.values?.keys() ?? [])];
  const animals = /\b(?:cats?|dogs?)\b/i;
  if (
    column === undefined ||
    !values.some((text) => animals.test(text)) ||
    draft.fields['rental.pets'] !== undefined
  )
    return;
  const separator = ['|', ';', ',', '/'].find((each) => values.some((text) => text.includes(each))) ?? ',';
  const items = new Set(
    values
      .filter((text) => !nulls.includes(text))
      .flatMap((text) => text.split(separator).map((item) => item.trim())),
  );
  const meanings = [...items].map((item) => {
    const none = booleanOf('rental.petsAllowed', item) === false || !animals.test(item);
    return [item, none ? [] : wordsOf(item).join(' ')] as const;
  });
  draft.fields['rental.pets'] = [
    { column: column.name, ...(separator !== ',' && { separator }), values: Object.fromEntries(meanings) },
  ];
  use(draft, column.name, 'rental.pets', 0.8, 1);
}
