// Change of a listing in plain words: which members changed, with their former values where they are short.

import { enumWords, moneyWords } from '../../page/words.ts';
import type { ContentRow } from '../../watch/events/read-store.ts';

type Members = Readonly<Record<string, unknown>>;

/** Said by other facts of an event, or by another member. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  'price',
  'status',
  'priceMonthly',
  'previousPrice',
  'statusChangedAt',
  'photoCount',
]);

/** Members whose values are amounts in the currency of the listing. */
const AMOUNTS: ReadonlySet<string> = new Set(['originalPrice', 'closePrice']);

/** Years are numbers without separators. */
const YEARS: ReadonlySet<string> = new Set(['yearBuilt']);

const NAMES: Readonly<Record<string, string>> = {
  openHouses: 'open houses',
  photoCount: 'photos',
  listedAt: 'listing date',
  closedAt: 'closing date',
  closePrice: 'closing price',
  originalPrice: 'original price',
};

/** Members that are named; further ones are counted. */
const MAX_NAMES = 6;

/**
 * Such as `Changed: bedrooms 4, before 3; description; photos`. Null where other facts say it all.
 * @param isNewInView whether the listing may be shown since this change
 */
export function changeWords(content: ContentRow | undefined, isNewInView: boolean): string | null {
  const names = (content?.changedFields ?? '').split(',').filter((name) => name !== '');
  const members = [...new Set(names.map((name) => (name === 'photoCount' ? 'photos' : name)))].filter(
    (name) => !SAID_ELSEWHERE.has(name),
  );
  if (members.length === 0) return isNewInView && names.length === 0 ? 'Shown again' : null;
  const [object, previous] = [content?.object, content?.previous].map((json) => parse(json));
  const words = members.slice(0, MAX_NAMES).map((name) => memberWords(name, object ?? {}, previous ?? {}));
  const rest = members.length - words.length;
  return `Changed: ${words.join('; ')}${rest > 0 ? `; ${rest} more` : ''}`;
}

function memberWords(name: string, object: Members, previous: Members): string {
  const label = NAMES[name] ?? name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  if (!Object.hasOwn(previous, name)) return label;
  const [now, before] = [object, previous].map((members) => valueWords(name, members[name], object));
  return now === undefined || before === undefined ? label : `${label} ${now}, before ${before}`;
}

/** A short value in words; undefined: it is not short. */
function valueWords(name: string, value: unknown, { currency }: Members): string | undefined {
  if (value === null || value === undefined) return 'not given';
  if (typeof value === 'number') {
    if (AMOUNTS.has(name)) return moneyWords(value, typeof currency === 'string' ? currency : null);
    return YEARS.has(name) ? String(value) : value.toLocaleString('en-US');
  }
  if (typeof value !== 'string' || value.length > 40 || /^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  return /^[A-Z][A-Z_]{2,}$/.test(value) ? enumWords(value).toLowerCase() : value;
}

function parse(json: string | null | undefined): Members | null {
  return json === null || json === undefined ? null : (JSON.parse(json) as Members);
}
