// Figures of the market page in words.

import type { AreaType } from '../../listings/vocabulary.ts';
import type { MetricFigure } from '../../market/compute-metrics.ts';
import { type Html, html } from '../../page/html.ts';
import { moneyWords } from '../../page/words.ts';
import type { FigureKind } from './metric-choice.ts';

/** A figure as people read it: `$549,900`, `611`, `121 days`, `26 %`. */
export function figureWords(kind: FigureKind, value: number, currency: string | null): string {
  switch (kind) {
    case 'money':
      return moneyWords(Math.round(value), currency);
    case 'count':
      return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
    case 'days':
      return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
    case 'months':
      return value.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    case 'share':
      return `${(value * 100).toLocaleString('en-US', { maximumFractionDigits: value < 0.1 ? 1 : 0 })} %`;
  }
}

/** A figure in little room, such as at an axis: `$550k`, `$1.2M`. */
export function shortFigure(kind: FigureKind, value: number, currency: string | null): string {
  if (kind === 'money') return shortMoney(value, currency);
  if (kind === 'share') return `${Math.round(value * 1_000) / 10} %`;
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

function shortMoney(value: number, currency: string | null): string {
  if (Math.abs(value) < 10_000) return moneyWords(value, currency);
  const [divisor, unit] = Math.abs(value) >= 1_000_000 ? [1_000_000, 'M'] : [1_000, 'k'];
  const number = Math.round((value / divisor) * (unit === 'M' ? 100 : 1)) / (unit === 'M' ? 100 : 1);
  // The unit stands after the number, wherever the currency stands.
  return moneyWords(number, currency).replace(/\d+(?:\.\d+)?/, (digits) => `${Number(digits)}${unit}`);
}

/** `▲ 9.5 %`: a change, without colour; a market that rises is neither good nor bad. */
export function changeWords(change: number | null): Html | null {
  if (change === null) return null;
  const percent = Math.round(Math.abs(change) * 1_000) / 10;
  if (percent === 0) return html`<span class="change">0.0 %</span>`;
  const [sign, words] = change > 0 ? ['▲', 'up'] : ['▼', 'down'];
  return html`<span class="change"><i aria-hidden="true">${sign}</i><span class="visually-hidden">${words} </span>${percent.toLocaleString('en-US', { minimumFractionDigits: 1 })} %</span>`;
}

/** `32 more than a year ago`: the difference to the value of a year before; null where either is not known. */
export function differenceWords(kind: FigureKind, now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  const scale = kind === 'share' ? 100 : 1;
  const digits = kind === 'days' ? 0 : 1;
  const difference = Math.round(Math.abs(now - before) * scale * 10 ** digits) / 10 ** digits;
  if (difference === 0) return 'as a year ago';
  const number = difference.toLocaleString('en-US', { minimumFractionDigits: kind === 'months' ? 1 : 0 });
  const unit = kind === 'share' ? (difference === 1 ? ' point' : ' points') : '';
  return `${number}${unit} ${now > before ? 'more' : 'less'} than a year ago`;
}

/** A figure of a cell or a heading; *too few* below the minimum of observations. */
export function figureOrReason(
  kind: FigureKind,
  figure: MetricFigure | undefined,
  currency: string | null,
): Html | string {
  if (figure === undefined || figure.value === null)
    return html`<span class="few">${figure !== undefined && figure.n > 0 ? 'too few' : 'none'}</span>`;
  return figureWords(kind, figure.value, currency);
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const MONTH_NAME = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** July 2026, of a day as YYYY-MM-DD. */
export const monthWords = (day: string): string => MONTH.format(Date.parse(day));
/** July */
export const monthName = (day: string): string => MONTH_NAME.format(Date.parse(day));
/** 1 November 2026 */
export const dayWords = (day: string): string => DAY.format(Date.parse(day));

const PLURALS: Readonly<Record<AreaType, readonly [one: string, many: string]>> = {
  country: ['Country', 'Countries'],
  state: ['State', 'States'],
  metro: ['Region', 'Regions'],
  county: ['County', 'Counties'],
  city: ['City', 'Cities'],
  borough: ['Borough', 'Boroughs'],
  neighborhood: ['Neighbourhood', 'Neighbourhoods'],
  postal_code: ['Postal code', 'Postal codes'],
  school_district: ['School district', 'School districts'],
  custom: ['Area', 'Areas'],
};

export const areaTypeWords = (type: AreaType): readonly [one: string, many: string] => PLURALS[type];
