// Figures of the market as people read them, by the unit of their metric.

import { moneyWords } from '../page/words.ts';
import { METRICS } from '../search/summaries/metrics.ts';

const UNITS: ReadonlyMap<string, string> = new Map(METRICS.map(({ id, unit }) => [id, unit]));

/** `$510,000`, `$412.50 per area`, `31 days`, `12.5 %`; a metric without a known unit as its number. */
export function figureWords(metric: string, value: number, currency: string | null): string {
  const number = value.toLocaleString('en-US', { maximumFractionDigits: 3 });
  switch (UNITS.get(metric)) {
    case 'money':
      return moneyWords(value, currency);
    case 'moneyPerArea':
      return `${moneyWords(value, currency)} per area`;
    case 'days':
      return `${number} ${value === 1 ? 'day' : 'days'}`;
    case 'months':
      return `${number} ${value === 1 ? 'month' : 'months'}`;
    case 'share':
      return percentWords(value * 100);
    case 'percent':
      return percentWords(value);
    default:
      return number;
  }
}

export function percentWords(value: number): string {
  return `${value.toLocaleString('en-US', { maximumFractionDigits: 2 })} %`;
}
