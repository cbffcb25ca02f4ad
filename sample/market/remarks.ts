// Text of PublicRemarks: a few plain sentences that agree with what the other fields say.
import type { FieldContext } from '../fields/field.ts';
import phrases from '../names/remarks.json' with { type: 'json' };
import { Random } from '../random.ts';
import { isCommercial, isInBuilding } from './home.ts';
import type { Listing } from './listing.ts';

const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
] as const;

/** What the agent wrote about the home; null where nothing was written. */
export function remarksOf(listing: Listing, context: FieldContext): string | null {
  const random = Random.of('remarks', listing.seed);
  if (random.chance(0.02)) return null;
  const { home } = listing;
  const business = isCommercial(home.kind);
  const sentences = [random.pick(openingsFor(listing))];
  if (home.waterfront) sentences.push(random.pick(phrases.water));
  if (business) sentences.push(random.pick(phrases.business));
  else if (home.kind === 'land') sentences.push(random.pick(phrases.land));
  else sentences.push(random.pick(phrases.insides));
  if (!business && home.kind !== 'land' && random.chance(0.45)) sentences.push(random.pick(phrases.insides));
  if (random.chance(0.75)) sentences.push(random.pick(phrases.outsides));
  if (random.chance(0.5))
    sentences.push(random.pick(listing.side === 'lease' ? phrases.lease : phrases.sale));
  const words = wordsFor(listing, context, random);
  return [...new Set(sentences)].map((sentence) => fill(sentence, words)).join(' ');
}

function openingsFor({ home }: Listing): readonly string[] {
  const { openings } = phrases;
  const suitable = isCommercial(home.kind)
    ? openings.business
    : home.kind === 'land'
      ? openings.land
      : isInBuilding(home.kind)
        ? openings.flat
        : home.units !== null
          ? openings.multi
          : home.kind === 'townhouse'
            ? openings.townhouse
            : openings.house;
  // A home without a year is not said to be of one.
  return home.yearBuilt === null ? suitable.filter((sentence) => !sentence.includes('{year}')) : suitable;
}

function wordsFor(
  { home }: Listing,
  { neighborhoods }: FieldContext,
  random: Random,
): Record<string, string> {
  const { address } = home;
  const bedrooms = home.bedrooms ?? 0;
  const inBuilding = isInBuilding(home.kind);
  const count = NUMBERS[bedrooms] ?? String(bedrooms);
  const beds =
    bedrooms === 0
      ? 'studio'
      : inBuilding
        ? `${count}-bedroom`
        : `${count} bedroom${bedrooms === 1 ? '' : 's'}`;
  const opening = bedrooms === 0 ? 'A studio' : inBuilding ? `A ${beds} home` : capital(beds);
  const levels = home.stories ?? 1;
  const units = NUMBERS[home.units ?? 0] ?? String(home.units);
  return {
    beds,
    Beds: opening,
    stories: levels === 1 ? 'single-story' : `${NUMBERS[levels] ?? levels}-story`,
    levels: levels === 1 ? 'one level' : `${NUMBERS[levels] ?? levels} levels`,
    style:
      home.kind === 'cabin' ? 'cabin' : home.kind === 'manufactured' ? 'home' : random.pick(phrases.styles),
    street: `${address.streetName} ${address.streetSuffix}`,
    place: neighborhoods[address.neighborhood]?.name ?? 'the city',
    year: String(home.yearBuilt),
    area: (home.area ?? 0).toLocaleString('en-US'),
    acres: String(Math.max(0.05, Math.round((home.lot ?? 0) / 435.6) / 100)),
    floor: ordinal(home.floor ?? 1),
    building: home.building?.name ?? `a building on ${address.streetName} ${address.streetSuffix}`,
    units,
    Units: capital(units),
  };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function ordinal(value: number): string {
  const last = value % 10;
  const teen = value % 100 > 10 && value % 100 < 14;
  return `${value}${teen ? 'th' : last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th'}`;
}

function fill(sentence: string, words: Readonly<Record<string, string>>): string {
  const text = sentence.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? '');
  // "A eight-story" and its like.
  return text
    .replace(/\b([Aa]) (?=(?:eight|eleven|[aeio]))/g, '$1n ')
    .replace(/\bAn one/g, 'A one')
    .replace(/\ban one/g, 'a one');
}
