// Facts of a home: the five that people look at first, the table of all, features, and the description.

import type { Listing } from '../../listings/record.ts';
import { type Fragment, type Html, html, visibleText } from '../../page/html.ts';
import { enumWords, moneyWords } from '../../page/words.ts';
import { areaWords, NOT_STATED, oneLine, typeWords, unitWords } from './words.ts';

type Row = readonly [name: string, value: string | null];

export function factLine(listing: Listing): Html {
  const { bedrooms, bathrooms, livingArea, pricePerArea, daysOnMarket, currency } = listing;
  const unit = unitWords(listing.areaUnit);
  const rent = listing.listingType === 'rental' ? ` a ${FREQUENCY[listing.priceFrequency] ?? 'month'}` : '';
  const facts: readonly Row[] = [
    [
      bedrooms === 1 ? 'bedroom' : 'bedrooms',
      bedrooms === null ? null : bedrooms === 0 ? 'Studio' : count(bedrooms),
    ],
    [bathrooms === 1 ? 'bathroom' : 'bathrooms', bathrooms === null ? null : count(bathrooms)],
    [unit.long, livingArea === null ? null : count(Math.round(livingArea))],
    [`per ${unit.one}${rent}`, pricePerArea === null ? null : moneyWords(perArea(pricePerArea), currency)],
    [
      listing.status === 'CLOSED' || listing.closedAt !== null ? 'was on the market' : 'on the market',
      daysOnMarket === null ? null : `${count(daysOnMarket)} ${daysOnMarket === 1 ? 'day' : 'days'}`,
    ],
  ];
  return html`<dl class="home-facts">${facts.map(
    ([name, value]) =>
      html`<div><dt>${name}</dt><dd${value === null ? UNKNOWN : null}>${value ?? NOT_STATED}</dd></div>`,
  )}</dl>`;
}

const FREQUENCY: Readonly<Record<string, string>> = {
  DAILY: 'day',
  WEEKLY: 'week',
  QUARTERLY: 'quarter',
  ANNUALLY: 'year',
};

const UNKNOWN = html` class="quiet"`;

/** Rents per area are small: cents count there. */
const perArea = (price: number): number => (price < 20 ? Number(price.toFixed(2)) : Math.round(price));

const count = (value: number): string => value.toLocaleString('en-US');

export function factTable(listing: Listing): Html {
  const rows =
    listing.listingType === 'rental'
      ? [...COMMON(listing), ...rentalRows(listing)]
      : [...COMMON(listing), ...saleRows(listing)];
  return html`<dl class="home-list">${rows.map(
    ([name, value]) =>
      html`<div><dt>${name}</dt><dd${value === null ? UNKNOWN : null}>${value ?? NOT_STATED}</dd></div>`,
  )}</dl>`;
}

const COMMON = (listing: Listing): readonly Row[] => [
  ['Type', typeWords(listing.propertyType)],
  ['Built', listing.yearBuilt === null ? null : String(listing.yearBuilt)],
  ['Stories', number(listing.stories)],
  ['Parking', parkingWords(listing)],
  ['Lot', listing.lotSize === null ? null : lotWords(listing)],
  ['On the water', flag(listing.waterfront)],
];

const saleRows = ({
  monthlyCosts,
  currency,
  saleConditions,
  newConstruction,
  provider,
}: Listing): readonly Row[] => [
  [
    'Taxes',
    monthlyCosts?.tax == null ? null : `${moneyWords(Math.round(monthlyCosts.tax), currency)} a month`,
  ],
  [
    'Association',
    monthlyCosts?.associationFee == null
      ? null
      : `${moneyWords(Math.round(monthlyCosts.associationFee), currency)} a month`,
  ],
  [
    'Condition',
    saleConditions.length > 0
      ? oneLine(saleConditions.join(', '), 60)
      : flag(newConstruction, 'New', 'Not new'),
  ],
  ['Number', provider.listingId === null ? null : oneLine(provider.listingId, 40)],
];

const rentalRows = ({ rental, currency, provider }: Listing): readonly Row[] => [
  ['Free from', rental?.availableFrom ?? null],
  [
    'Term',
    rental?.leaseTermMonths == null
      ? rental && rental.leaseTerm.length > 0
        ? oneLine(rental.leaseTerm.join(', '), 60)
        : null
      : `${rental.leaseTermMonths} months`,
  ],
  ['Pets', rental === null ? null : petWords(rental)],
  ['Furnished', rental?.furnished ? oneLine(rental.furnished, 40) : null],
  ['Broker fee', flag(rental?.noFee ?? null, 'None', 'Yes')],
  [
    'With free months',
    rental?.netEffectivePrice == null
      ? null
      : `${moneyWords(Math.round(rental.netEffectivePrice), currency)} a month`,
  ],
  ['Number', provider.listingId === null ? null : oneLine(provider.listingId, 40)],
];

const number = (value: number | null): string | null => (value === null ? null : count(value));

const flag = (value: boolean | null, yes = 'Yes', no = 'No'): string | null =>
  value === null ? null : value ? yes : no;

function petWords({ pets, petsAllowed }: NonNullable<Listing['rental']>): string | null {
  if (pets.length > 0) return oneLine(pets.map(enumWords).join(', '), 60);
  return flag(petsAllowed, 'Welcome', 'Not allowed');
}

function parkingWords({ parkingSpaces, garageSpaces }: Listing): string | null {
  if (!garageSpaces) return number(parkingSpaces);
  return parkingSpaces === null || parkingSpaces === garageSpaces
    ? `Garage for ${garageSpaces}`
    : `${parkingSpaces}, garage for ${garageSpaces}`;
}

const SQUARE_FEET_PER_ACRE = 43_560;

function lotWords({ lotSize, lotSizeUnit }: Listing): string {
  const size = lotSize ?? 0;
  return lotSizeUnit === 'sqft' && size >= SQUARE_FEET_PER_ACRE
    ? `${Number((size / SQUARE_FEET_PER_ACRE).toPrecision(3))} acres`
    : areaWords(size, lotSizeUnit);
}

const FEATURES_SHOWN = 6;

/** The first features; the rest opens without a script. */
export function featureTags({ features }: Pick<Listing, 'features'>): Html | null {
  const words = [...new Set(features.map((feature) => oneLine(featureWords(feature), 60)))].filter(Boolean);
  if (words.length === 0) return null;
  const tags = (some: readonly string[]): Fragment => some.map((word) => html`<li class="tag">${word}</li>`);
  const [first, rest] = [words.slice(0, FEATURES_SHOWN), words.slice(FEATURES_SHOWN)];
  return html`<div class="home-features"><ul aria-label="Features">${tags(first)}</ul>${
    rest.length === 0
      ? null
      : html`<details><summary>${rest.length} more</summary><ul aria-label="Further features">${tags(rest)}</ul></details>`
  }</div>`;
}

/** `OpenFloorplan` and `OPEN_FLOORPLAN` as `Open floorplan`. */
function featureWords(feature: string): string {
  const spaced = feature.includes(' ')
    ? feature
    : feature.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  const lower = spaced.toLowerCase();
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** The text as its broker wrote it, in its paragraphs. */
export function description({ description }: Pick<Listing, 'description'>): Html | null {
  const paragraphs = (description ?? '')
    .split(/\n\s*\n/)
    .map(visibleText)
    .filter((text) => text !== '');
  if (paragraphs.length === 0) return null;
  return html`<blockquote class="home-text">${paragraphs.map((text) => html`<p>${text}</p>`)}</blockquote>`;
}
