// Plans in plain words: their prices, and what each gets.

import type { Cadence, TierPlan } from '../../access/tiers/tiers.ts';
import type { OfferedPlan } from '../../billing/payment-service.ts';

/** Payment services count these in other units than ISO 4217 does. */
const DECIMALS: Readonly<Record<string, number>> = { isk: 2, mga: 0, ugx: 2 };

/** `€29 a month`, `$290 a year`, `¥9,000 every 3 months`. */
export function priceWords({ amount, currency, interval, intervalCount }: OfferedPlan): string {
  const often = intervalCount === 1 ? `a ${interval}` : `every ${intervalCount} ${interval}s`;
  return amount === 0 ? 'No charge' : `${moneyWords(amount, currency)} ${often}`;
}

function moneyWords(amount: number, currency: string): string {
  const style = { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' } as const;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en-US', style).resolvedOptions();
  const decimals = DECIMALS[currency] ?? maximumFractionDigits;
  const format = new Intl.NumberFormat('en-US', { ...style, maximumFractionDigits: decimals });
  return format.format(amount / 10 ** decimals);
}

const CADENCES: Readonly<Record<Cadence, string>> = {
  instant: 'notified at once',
  hourly: 'notified every hour',
  daily: 'notified every day',
  weekly: 'notified every week',
};

/** What a plan gets: name and words of each, the most informative first. */
export function planFacts(plan: TierPlan): readonly (readonly [name: string, words: string])[] {
  return [
    ['Requests', requestWords(plan)],
    ['Results', `up to ${count(plan.page)} a page`],
    ['Streams', plan.streams === 0 ? 'none' : `${count(plan.streams)} listings at once`],
    ['Watchers', watcherWords(plan)],
    ['Properties', plan.live ? 'fetched live from their source' : 'as they are stored'],
  ];
}

/** `300 a minute, 50,000 a month` */
export function requestWords({ minute, month }: TierPlan): string {
  if (minute === null && month === null) return 'unlimited';
  const [aMinute, aMonth] = [minute, month].map((limit) => (limit === null ? 'unlimited' : count(limit)));
  return `${aMinute} a minute, ${aMonth} a month`;
}

function watcherWords({ watchers, cadence }: TierPlan): string {
  if (watchers === 0) return 'none';
  return `${watchers === null ? 'any number' : count(watchers)}, ${CADENCES[cadence]}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
