// Rules by which a column could be read as a field, by the kind of the field and the texts of the column.

import { areaUnitOf } from '../../listings/area-units.ts';
import type { Field, Kind } from '../mapping/fields.ts';
import { NUMBER_FORMATS } from '../mapping/numbers.ts';
import type { Rule } from '../mapping/rule.ts';
import { wordsOf } from './column-names.ts';
import type { ColumnSummary } from './column-summary.ts';
import { areaUnitOfCountry } from './countries.ts';
import { dateReading } from './date-reading.ts';
import { isUnpriced, meaningOf } from './meanings.ts';
import { best, type Measured, measure } from './measure.ts';
import { type FileHints, type Reading, textsOf, without } from './reading.ts';

const NUMBERS: readonly Kind[] = ['number', 'integer', 'money', 'monthlyMoney', 'degrees'];
const DATES: readonly Kind[] = ['date', 'time', 'timeOrDate'];

/** The best way to read a column as a field; null where none reads any of it. */
export function readingOf(
  name: string,
  field: Field,
  summary: ColumnSummary,
  hints: FileHints,
): Reading | null {
  const { kind } = field;
  if (summary.filled === 0) return null;
  if (kind === 'area') return areaReading(field, summary, hints);
  if (NUMBERS.includes(kind)) return without(best(numberRules(field, summary, hints)));
  if (DATES.includes(kind)) return dateReading(field, summary, hints);
  if (kind === 'choice') return choiceReading(name, field, summary, hints);
  if (kind === 'boolean')
    return without(best([measure([booleanRule(name, summary)], field, summary, hints.nulls)]));
  if (kind === 'currency') return without(measure([currencyRule(summary)], field, summary, hints.nulls));
  const separator = LISTS.includes(kind) ? separatorOf(summary) : undefined;
  const rule = { column: summary.name, ...(separator !== undefined && { separator }) };
  return without(measure([rule], field, summary, hints.nulls));
}

const LISTS: readonly Kind[] = ['list', 'slugs', 'urls', 'amounts', 'intervals'];

/** What multiplies a number behind it. */
const SUFFIXES: Readonly<Record<string, number>> = {
  k: 1e3,
  tsd: 1e3,
  't€': 1e3,
  mil: 1e3,
  m: 1e6,
  mm: 1e6,
  mn: 1e6,
  mio: 1e6,
  mill: 1e6,
  million: 1e6,
  millionen: 1e6,
  millones: 1e6,
  'm€': 1e6,
  'k€': 1e3,
};

function* numberRules(field: Field, summary: ColumnSummary, hints: FileHints): Generator<Measured> {
  const { name: column } = summary;
  const isMoney = field.kind === 'money' || field.kind === 'monthlyMoney';
  const suffixes = isMoney ? suffixesOf(summary) : {};
  const factor = isMoney && isInThousands(column) ? { factor: 1_000 } : {};
  const unpriced = isMoney ? textsOf(summary).filter(isUnpriced).slice(0, 20) : [];
  const base = {
    column,
    ...factor,
    ...(Object.keys(suffixes).length > 0 && { suffixes }),
    ...(unpriced.length > 0 && { nulls: unpriced }),
  };
  const words = textsOf(summary).some(
    (text) => /\d/.test(text) && /\p{L}{2}|\+|~|</u.test(text.replace(/[A-Z]{3}/, '')),
  );
  const parts = words && field.kind !== 'degrees' ? [{}, { part: 'first' }] : [{}];
  for (const part of parts)
    for (const format of [undefined, ...NUMBER_FORMATS])
      yield measure(
        [{ ...base, ...part, ...(format !== undefined && { format }) }],
        field,
        summary,
        hints.nulls,
      );
}

function suffixesOf(summary: ColumnSummary): Record<string, number> {
  const found: Record<string, number> = {};
  for (const text of textsOf(summary)) {
    const suffix = /\d\s*(?<suffix>[\p{L}]+€?)/u.exec(text)?.groups?.suffix ?? '';
    const meant = SUFFIXES[suffix.toLowerCase()];
    if (meant !== undefined) found[suffix.toLowerCase()] = meant;
  }
  return found;
}

export const isInThousands = (name: string): boolean =>
  /000s|\(000\)|in thousands|thousands|\bt€|\bteur\b|\bk€|\bkeur\b|in tsd/i.test(name);

/** The unit that a name states: `Living m2`, `sqft_lot`, `Plot acres`. */
export function unitInName(name: string): string | undefined {
  const words = wordsOf(name);
  for (let at = 0; at < words.length; at++)
    for (const taken of [2, 1]) {
      const word = words.slice(at, at + taken).join('');
      const unit = word.length > 1 || word === 'm2' ? areaUnitOf(word) : undefined;
      if (unit !== undefined) return unit;
    }
  if (/quadratmeter|wohnfl|superficie|surface|metros|fläche/i.test(name)) return 'sqm';
  return undefined;
}

function areaReading(field: Field, summary: ColumnSummary, hints: FileHints): Reading | null {
  const { name: column } = summary;
  const inName = unitInName(column);
  const unit = inName ?? areaUnitOfCountry(hints.country);
  const hasWords = textsOf(summary).some((text) => /\d\s*[\p{L}²]/u.test(text));
  const found = best(areaRules());
  if (found === null) return null;
  const inCells =
    found.rules.some(({ unitInCell }) => unitInCell) &&
    textsOf(summary).every((text) => !/^\W*\d[\d.,\s]*$/.test(text));
  const doubt = inName === undefined && !inCells ? `No unit is named: ${unit} is assumed` : null;
  return { ...found, doubt };

  function* areaRules(): Generator<Measured> {
    for (const cell of hasWords ? [{ unitInCell: true }] : [{}])
      for (const format of [undefined, ...NUMBER_FORMATS])
        yield measure(
          [{ column, unit, ...cell, ...(format !== undefined && { format }) }],
          field,
          summary,
          hints.nulls,
        );
  }
}

function choiceReading(
  name: string,
  field: Field,
  summary: ColumnSummary,
  { nulls }: FileHints,
): Reading | null {
  const values: Record<string, string> = {};
  const guesses: string[] = [];
  const unknown: string[] = [];
  for (const text of summary.values?.keys() ?? textsOf(summary)) {
    if (nulls.includes(text)) continue;
    const meaning = meaningOf(name, text);
    if (meaning === null) {
      unknown.push(text);
      continue;
    }
    if (text !== meaning.choice) values[text] = meaning.choice;
    if (!meaning.isSure) guesses.push(`${text} as ${meaning.choice}`);
  }
  const rule: Rule = { column: summary.name, ...(Object.keys(values).length > 0 && { values }) };
  const measured = measure([rule], field, summary, nulls);
  const fallback = name === 'status' ? 'UNKNOWN' : name === 'propertyType' ? 'OTHER' : null;
  if (unknown.length === 0 || fallback === null || measured.share < 0.5)
    return {
      ...measured,
      doubt: guesses.length > 0 ? `Read by the nearest word: ${guesses.slice(0, 5).join(', ')}` : null,
    };
  const others = Object.fromEntries(unknown.slice(0, 300).map((text) => [text, fallback]));
  return {
    ...measured,
    rules: [{ column: summary.name, values: { ...values, ...others } }],
    doubt: `${unknown
      .slice(0, 5)
      .map((text) => JSON.stringify(text))
      .join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not known: ${fallback} is assumed`,
  };
}

/** The rule of yes and no; a fee is the contrary of no fee. */
function booleanRule(field: string, summary: ColumnSummary): Rule {
  const isContrary = field === 'rental.noFee' && !/no|sin|sans|frei/i.test(summary.name);
  const values: Record<string, boolean> = {};
  for (const text of summary.values?.keys() ?? textsOf(summary)) {
    const choice = booleanOf(field, text);
    if (choice === null) continue;
    const isPlain = /^(?:true|yes|y|t|1|false|no|n|f|0)$/i.test(text);
    if (!isPlain || isContrary) values[text] = choice !== isContrary;
  }
  return { column: summary.name, ...(Object.keys(values).length > 0 && { values }) };
}

const PETS = /\b(?:cats?|dogs?|pets?|perros?|gatos?|chiens?|chats?|hunde?|katzen?)\b/i;

export function booleanOf(field: string, text: string): boolean | null {
  const meant = meaningOf('boolean', text)?.choice;
  if (meant !== undefined) return meant === 'true';
  return field === 'rental.petsAllowed' && PETS.test(text) ? !/\bno\b|\bnot\b/i.test(text) : null;
}

const SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₽': 'RUB',
  '₺': 'TRY',
  '₩': 'KRW',
  '₪': 'ILS',
  zł: 'PLN',
  US$: 'USD',
  $: 'USD',
  euro: 'EUR',
  euros: 'EUR',
  dollars: 'USD',
  'us dollar': 'USD',
  pounds: 'GBP',
};

function currencyRule(summary: ColumnSummary): Rule {
  const values: Record<string, string> = {};
  for (const text of summary.values?.keys() ?? []) {
    const code =
      SIGNS[text] ?? SIGNS[text.toLowerCase()] ?? (/^[a-z]{3}$/i.test(text) ? text.toUpperCase() : undefined);
    if (code !== undefined && code !== text) values[text] = code;
  }
  return { column: summary.name, ...(Object.keys(values).length > 0 && { values }) };
}

/** The currency that stands beside the numbers of a column, or in its name; null where none does. `$` is of several countries. */
export function currencyIn(summary: ColumnSummary): string | null {
  for (const text of [summary.name, ...textsOf(summary)]) {
    const sign = Object.keys(SIGNS).find((each) => !/^[a-z ]+$/.test(each) && text.includes(each));
    if (sign !== undefined) return sign === '$' ? '$' : (SIGNS[sign] ?? null);
    const code = /(?<![A-Za-z])(?:EUR|USD|GBP|CHF|CAD|AUD|MXN|PLN|SEK|DKK|NOK|CZK)(?![A-Za-z])/i.exec(
      text,
    )?.[0];
    if (code !== undefined) return code.toUpperCase();
  }
  return null;
}

const SEPARATORS = ['|', ';', '\n', ',', ' '];

/** What parts the items of a list; undefined for a comma. */
function separatorOf(summary: ColumnSummary): string | undefined {
  const texts = textsOf(summary).filter((text) => !text.startsWith('['));
  const isOfUrls = texts.some((text) => /^https?:/.test(text));
  const found = SEPARATORS.find((separator) => {
    const parted = texts.filter((text) => text.includes(separator));
    // A comma or a semicolon may be part of an address of the web.
    return isOfUrls
      ? parted.some((text) => text.split(separator).filter((item) => /^\s*https?:/.test(item)).length > 1)
      : separator !== ' ' && parted.length > 0;
  });
  return found === ',' ? undefined : found;
}
