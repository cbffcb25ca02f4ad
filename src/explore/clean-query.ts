// The query of a form as the query of a view: without blank fields, amounts as numbers, lists joined.

import { type Parameters, readParameters, writeQuery } from './view/parameters.ts';

/** What people type into a field of an amount: `$400,000`, `400k`, `1.2m`. */
const AMOUNT = /^\s*(?:[^\d\s.,-]{0,4}\s*)?(\d[\d,\s]*(?:\.\d+)?)\s*([km])?\s*(?:[^\d\s]{0,4})?\s*$/iu;
const AMOUNT_FIELDS =
  /^(?:min|max)(?:Price|ClosePrice|LivingArea|LotSize|Bedrooms|Bathrooms|YearBuilt|AssociationFee|Tax|MonthlyCost)$/;
const FACTORS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/** Sold in the last months. */
const SOLD = { status: 'CLOSED', closedSince: 'P6M' };

export interface CleanQuery {
  readonly parameters: Parameters;
  /** What was typed into the search box; null: nothing. */
  readonly find: string | null;
  /** The query to lead on to, where it is not the one that was sent. */
  readonly redirect: string | null;
}

/** `query` without its question mark. */
export function cleanQuery(query: string): CleanQuery {
  const sent = readParameters(query);
  const parameters = new Map(
    [...sent].flatMap(([name, value]): [string, string][] => {
      const text = AMOUNT_FIELDS.test(name) ? plainAmount(value) : value;
      const list = text.split(',').filter((part) => part.trim() !== '');
      const kept = text.includes(',') && name !== 'q' ? list.join(',') : text.trim();
      return kept === '' ? [] : [[name, kept]];
    }),
  );
  const find = parameters.get('find') ?? null;
  parameters.delete('find');
  // A form has one choice of buy, rent and sold; of homes that were sold the API knows by their status.
  if (parameters.get('for') === 'sold') {
    parameters.delete('for');
    for (const [name, value] of Object.entries(SOLD)) if (!parameters.has(name)) parameters.set(name, value);
  }
  const isSame = [...sent].every(([name, value]) => parameters.get(name) === value) && !hasRepeats(query);
  return { parameters, find, redirect: isSame ? null : writeQuery(parameters) };
}

/** Whether a name comes twice, as from the checkboxes of a form. */
function hasRepeats(query: string): boolean {
  const names = [...new URLSearchParams(query).keys()];
  return new Set(names).size < names.length;
}

/** A number as the API takes it; anything else stays, for the API to name what is wrong with it. */
function plainAmount(text: string): string {
  const [, digits, unit] = AMOUNT.exec(text) ?? [];
  if (digits === undefined) return text;
  const value = Number(digits.replaceAll(/[,\s]/g, '')) * (FACTORS[unit?.toLowerCase() ?? ''] ?? 1);
  return Number.isFinite(value) ? String(Math.round(value * 100) / 100) : text;
}
