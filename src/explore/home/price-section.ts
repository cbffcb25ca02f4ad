// Price history of a home: the chart, and the table of its events.

import { type Fragment, type Html, html } from '../../page/html.ts';
import { enumWords, moneyWords } from '../../page/words.ts';
import { apiRequest } from './api-request.ts';
import { priceChart } from './price-chart.ts';
import { type HistoryStep, priceHistory } from './price-steps.ts';
import type { Home } from './read-home.ts';
import { dayWords, monthWords, NOT_STATED } from './words.ts';

const ROWS_SHOWN = 8;
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

export function priceSection({ listing, property, now }: Home, baseUrl: string): Html {
  const history = priceHistory(property, listing.listingType, now);
  const { steps } = history;
  const { currency } = listing;
  const first = steps.at(-1)?.at ?? null;
  const offers =
    history.listings === 1 ? 'one listing' : `${NUMBERS[history.listings] ?? history.listings} listings`;
  const chart = priceChart({ history, currency, label: labelOf(steps, currency) });
  return html`<section class="home-section" aria-labelledby="history"><header><h2 id="history">${
    listing.listingType === 'sale' ? 'Price history' : 'Rent history'
  }</h2>${
    first === null ? null : html`<p class="quiet">${offers} since ${monthWords(first)}</p>`
  }${apiRequest(`${baseUrl}/v1/property/${listing.id}/history`)}</header>${chart}${
    steps.length === 0
      ? html`<p class="quiet">Its source has given no earlier price.</p>`
      : html`${stepTable(steps.slice(0, ROWS_SHOWN), currency, now)}${
          steps.length > ROWS_SHOWN
            ? html`<details class="more"><summary>${steps.length - ROWS_SHOWN} earlier</summary>${stepTable(steps.slice(ROWS_SHOWN), currency, now)}</details>`
            : null
        }`
  }</section>`;
}

function labelOf(steps: readonly HistoryStep[], currency: string): string {
  const [latest, first] = [steps[0], steps.at(-1)];
  const words = (step: HistoryStep | undefined): string =>
    step === undefined || step.price === null ? NOT_STATED.toLowerCase() : moneyWords(step.price, currency);
  return `The price over time, from ${words(first)} to ${words(latest)}; the table has each step.`;
}

function stepTable(steps: readonly HistoryStep[], currency: string, now: number): Html {
  return html`<table class="data home-steps"><thead class="visually-hidden"><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Change</th><th scope="col">Price</th></tr></thead><tbody>${steps.map(
    (step) =>
      html`<tr><th scope="row">${whenOf(step, now)}</th><td>${eventWords(step)}</td><td>${changeOf(step.change, currency)}</td><td>${
        step.price === null
          ? html`<span class="quiet">${NOT_STATED}</span>`
          : moneyWords(step.price, currency)
      }</td></tr>`,
  )}</tbody></table>`;
}

const DAY = 86_400_000;

function whenOf({ at, between }: HistoryStep, now: number): Fragment {
  if (at === null) {
    const [from, to] = between ?? [0, 0];
    return html`between ${dayWords(from)} and ${to >= now ? 'now' : dayWords(to)}`;
  }
  const time = new Date(at).toISOString();
  const isExact = now - at < 2 * DAY && !time.includes('T00:00:00');
  return html`<time datetime="${isExact ? time : time.slice(0, 10)}">${dayWords(at)}${isExact ? `, ${time.slice(11, 16)}` : ''}</time>`;
}

function eventWords({ kind, at, change, status }: HistoryStep): string {
  if (kind === 'changed') {
    const words = change === null ? 'Price changed' : change < 0 ? 'Price cut' : 'Price raised';
    return at === null ? `${words}, day not stated` : words;
  }
  if (kind === 'ended' || kind === 'status') return status === null ? 'No longer offered' : enumWords(status);
  return { listed: 'Listed', relisted: 'Offered again', pending: 'Under contract', sold: 'Sold', let: 'Let' }[
    kind
  ];
}

/** The change of a home's own price, the only rises and cuts that have a colour. */
export function changeOf(change: number | null, currency: string): Html | null {
  if (change === null || change === 0) return null;
  const amount = moneyWords(Math.abs(change), currency);
  return change < 0
    ? html`<span class="cut">▼&nbsp;<span class="visually-hidden">down </span>${amount}</span>`
    : html`<span class="rise">▲&nbsp;<span class="visually-hidden">up </span>${amount}</span>`;
}
