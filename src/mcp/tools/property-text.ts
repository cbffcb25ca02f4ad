// Homes in words: the record with its parts, the estimate, and comparable homes.

import { dotted, listingLine, money, number, numbered, objectOf, rowsOf, word } from './listing-text.ts';
import type { Json } from './tool-row.ts';

/** Names in a list, such as features. */
const words = (value: unknown): string => (Array.isArray(value) ? value.map(word).join(', ') : '');

/** `name: text`; null where there is no text. */
const named = (name: string, text: string): string | null => (text === '' ? null : `${name}: ${text}`);

export function propertyText(answer: Json, now: number): string {
  const { address, currentListing, live, features, yearBuilt, lotSize, areaUnit } = answer;
  const { error } = objectOf(live);
  const { currency } = objectOf(currentListing);
  const lines = [
    word(objectOf(address).full),
    currentListing ? listingLine(objectOf(currentListing), now) : 'Not on the market.',
    dotted([
      typeof yearBuilt === 'number' ? `built in ${yearBuilt}` : null,
      typeof lotSize === 'number' ? `lot of ${number(lotSize)} ${word(areaUnit)}` : null,
      deal('last sold for', answer.lastSale, currency),
      deal('last let for', answer.lastRent, currency),
    ]),
    named('Features', words(features)),
    ...termLines(objectOf(currentListing)),
    ...partLines(answer, currency, now),
    dotted([
      `Data ${word(answer.source)}, confirmed by the source at ${word(answer.fetchedAt)}`,
      typeof error === 'string' ? `live fetch failed: ${word(error)}` : null,
    ]),
    named('Property', word(answer.id)),
  ];
  return lines.filter((line) => line !== null && line !== '').join('\n');
}

function deal(name: string, of: unknown, currency: unknown): string | null {
  const { date, price } = objectOf(of);
  return price === undefined ? null : `${name} ${money(price, currency)} on ${word(date)}`;
}

/** Terms of a rental, costs of a sale, open houses. */
function termLines({ rental, monthlyCosts, openHouses, currency }: Json): (string | null)[] {
  const { availableFrom, pets, furnished, utilitiesIncluded } = objectOf(rental);
  const { total } = objectOf(monthlyCosts);
  return [
    named('Available from', word(availableFrom)),
    named('Pets', words(pets)),
    named('Furnished', word(furnished)),
    named('Utilities included', words(utilitiesIncluded)),
    typeof total === 'number' ? `Costs a month: ${money(total, currency)}` : null,
    named(
      'Open houses',
      rowsOf(openHouses)
        .map(({ startsAt }) => word(startsAt))
        .join(', '),
    ),
  ];
}

/** The parts that a call includes. */
function partLines(
  { listings, history, areas, comparables, estimate, photos }: Json,
  currency: unknown,
  now: number,
): (string | null)[] {
  const block = (name: string, lines: readonly string[]) =>
    named(name, lines.map((line) => `\n- ${line}`).join(''));
  return [
    named(
      'Areas',
      rowsOf(areas)
        .map(({ name, id }) => `${word(name)} (${word(id)})`)
        .join(', '),
    ),
    block(
      'Listings',
      rowsOf(listings).map(({ id, status, price, listedAt }) =>
        dotted([word(listedAt).slice(0, 10), word(status), money(price, currency), word(id)]),
      ),
    ),
    block(
      'History',
      rowsOf(history).map(({ at, event, price, status }) =>
        dotted([word(at).slice(0, 10), word(event), money(price, currency), word(status)]),
      ),
    ),
    block(
      'Comparables',
      rowsOf(comparables).map((row) => comparableLine(row, now)),
    ),
    estimate ? estimateText(objectOf(estimate)) : null,
    Array.isArray(photos) ? `${photos.length} ${photos.length === 1 ? 'photo' : 'photos'}` : null,
  ];
}

export function estimateText({ currency, sale, rent }: Json): string {
  const line = (name: string, of: unknown) => {
    const { value, low, high, n, reason } = objectOf(of);
    if (typeof value !== 'number') return `${name}: no estimate (${word(reason)}, ${comparablesOf(n)}).`;
    const range = `${money(low, currency)} to ${money(high, currency)}`;
    return `${name}: ${word(currency)} ${number(value)} (${range}), from ${comparablesOf(n)}.`;
  };
  return `${line('Price', sale)}\n${line('Monthly rent', rent)}`;
}

const comparablesOf = (n: unknown): string => `${number(n)} ${n === 1 ? 'comparable' : 'comparables'}`;

function comparableLine({ listing, basis, distance, distanceUnit, similarity }: Json, now: number): string {
  return dotted([
    basis === 'closed' ? 'closed' : 'on the market',
    `${number(distance)} ${word(distanceUnit)} away`,
    `similarity ${number(similarity)}`,
    listingLine(objectOf(listing), now),
  ]);
}

export function comparablesText({ data }: Json, now: number): string {
  const rows = rowsOf(data).map((row) => comparableLine(row, now));
  return rows.length === 0 ? 'No comparable home. Try a larger maxRadius or daysOld.' : numbered(rows);
}
