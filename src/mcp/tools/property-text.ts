// Homes in words: the record with its parts, the estimate, and comparable homes.

import { dotted, listingLine, number, numbered, objectOf, rowsOf, word } from './listing-text.ts';
import type { Json } from './tool-row.ts';

/** Names in a list, such as features. */
const words = (value: unknown): string => (Array.isArray(value) ? value.map(word).join(', ') : '');

/** `name: text`; null where there is no text. */
const named = (name: string, text: string): string | null => (text === '' ? null : `${name}: ${text}`);

export function propertyText(answer: Json, now: number): string {
  const { address, currentListing, live, features, yearBuilt, lotSize, areaUnit } = answer;
  const { error } = objectOf(live);
  const lines = [
    word(objectOf(address).full),
    currentListing ? listingLine(objectOf(currentListing), now) : 'Not on the market.',
    dotted([
      typeof yearBuilt === 'number' ? `built in ${yearBuilt}` : null,
      typeof lotSize === 'number' ? `lot of ${number(lotSize)} ${word(areaUnit)}` : null,
      deal('last sold for', answer.lastSale),
      deal('last let for', answer.lastRent),
    ]),
    named('Features', words(features)),
    ...termLines(objectOf(currentListing)),
    ...partLines(answer, now),
    dotted([
      `Data ${word(answer.source)}, confirmed by the source at ${word(answer.fetchedAt)}`,
      typeof error === 'string' ? `live fetch failed: ${word(error)}` : null,
    ]),
    named('Property', word(answer.id)),
  ];
  return lines.filter((line) => line !== null && line !== '').join('\n');
}

function deal(name: string, of: unknown): string | null {
  const { date, price } = objectOf(of);
  return price === undefined ? null : `${name} ${number(price)} on ${word(date)}`;
}

/** Terms of a rental, costs of a sale, open houses. */
function termLines({ rental, monthlyCosts, openHouses }: Json): (string | null)[] {
  const { availableFrom, pets, furnished, utilitiesIncluded } = objectOf(rental);
  const { total } = objectOf(monthlyCosts);
  return [
    named('Available from', word(availableFrom)),
    named('Pets', words(pets)),
    named('Furnished', word(furnished)),
    named('Utilities included', words(utilitiesIncluded)),
    typeof total === 'number' ? `Costs a month: ${number(total)}` : null,
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
        dotted([word(listedAt).slice(0, 10), word(status), number(price), word(id)]),
      ),
    ),
    block(
      'History',
      rowsOf(history).map(({ at, event, price, status }) =>
        dotted([word(at).slice(0, 10), word(event), number(price), word(status)]),
      ),
    ),
    block(
      'Comparables',
      rowsOf(comparables).map((row) => comparableLine(row, now)),
    ),
    estimate ? estimateText(objectOf(estimate)) : null,
    Array.isArray(photos) ? `${photos.length} photos` : null,
  ];
}

export function estimateText({ currency, sale, rent }: Json): string {
  const line = (name: string, of: unknown) => {
    const { value, low, high, n, reason } = objectOf(of);
    if (typeof value !== 'number') return `${name}: no estimate (${word(reason)}, ${number(n)} comparables).`;
    const range = `${number(low)} to ${number(high)}`;
    return `${name}: ${word(currency)} ${number(value)} (${range}), from ${number(n)} comparables.`;
  };
  return `${line('Price', sale)}\n${line('Monthly rent', rent)}`;
}

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
