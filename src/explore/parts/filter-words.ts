// Words of values, for the chips of filters.

import type { Parameters } from '../view/parameters.ts';

/** `2 – 4`, `2+`, `up to 4`; null without either. */
export function rangeWords(
  parameters: Parameters,
  name: string,
  write: (value: number) => string,
  plus: (value: string) => string = (value) => `${value}+`,
): string | null {
  const [min, max] = ['min', 'max'].map((end) => parameters.get(`${end}${name}`) ?? null);
  const [from, to] = [min, max].map((value) => (value == null ? null : write(Number(value))));
  if (from != null && to != null) return from === to ? from : `${from} – ${to}`;
  if (from != null) return plus(from);
  return to == null ? null : `up to ${to}`;
}

export const asIs = (parameters: Parameters, name: string): string | null => parameters.get(name) ?? null;

/** `P7D` as `this week`. */
const PERIODS: Readonly<Record<string, string>> = {
  P1D: 'today',
  P3D: 'in 3 days',
  P7D: 'this week',
  P14D: 'in 2 weeks',
  P30D: 'in 30 days',
  P3M: 'in 3 months',
  P6M: 'in 6 months',
  P12M: 'in a year',
  P1Y: 'in a year',
};

export const since = (value: string): string => PERIODS[value] ?? `since ${value.slice(0, 10)}`;

/** `no`: of a filter that wants the contrary; default: `Not` before the words. */
export function yesNo(
  parameters: Parameters,
  name: string,
  words: string,
  no = `Not ${words.charAt(0).toLowerCase()}${words.slice(1)}`,
): string | null {
  const value = parameters.get(name);
  if (value === undefined) return null;
  return /^(?:true|1|yes)$/i.test(value) ? words : no;
}
