// Rows of a listing that searches read: filters and sort keys, and full text. Pure.

import { formatTime, parseTime } from '../../lib/clock.ts';
import { isGuessed } from '../../listings/draft.ts';
import { coarseLocation, maskAddress } from '../../listings/presenter.ts';
import type { SearchRow } from '../../listings/search-row.ts';
import type { StoredRecord } from '../../listings/stored-record.ts';
import { placeKey, postalKey } from '../../text/place-key.ts';
import { addressKey, areaWord, FIELD_LETTERS, isName, tokenize } from '../../text/tokenize.ts';

/** A listing as it is stored, or about to be; times are RFC 3339. */
export interface ListingSnapshot {
  readonly id: string;
  readonly source: string;
  readonly record: StoredRecord;
  readonly licenceNo: number;
  readonly displayed: boolean;
  readonly addressDisplayed: boolean;
  readonly areaNos: readonly number[];
  readonly listedFrom: string | null;
  readonly daysOnMarketStart: string | null;
  readonly daysOnMarketEnd: string | null;
  readonly updatedAt: string;
}

/** The row of listing_search for a listing. */
export function searchRow(listing: ListingSnapshot): SearchRow {
  const { record } = listing;
  return {
    id: listing.id,
    listing_type: record.listingType,
    status: record.status,
    licence: String(listing.licenceNo),
    displayed: listing.displayed,
    property_type: record.propertyType,
    property_sub_type: lower(record.propertySubType),
    ...priceColumns(record),
    ...sizeColumns(record),
    ...rentalColumns(record),
    ...timeColumns(listing),
    ...placeColumns(listing),
    has_photos: (record.photoCount ?? 0) > 0,
    // Shown only with the address.
    has_virtual_tour: record.virtualTourUrl !== null && listing.addressDisplayed,
    new_construction: record.newConstruction,
    waterfront: record.waterfront,
    agent_id: record.agent?.id ?? null,
    office_id: record.office?.id ?? null,
    provider_id: listing.source,
    mls_number: lower(record.provider.listingId),
    features: lowerAll(record.features),
    sale_conditions: lowerAll(record.saleConditions),
    open_houses: openHours(record.openHouses),
  };
}

const priceColumns = (record: StoredRecord) => ({
  currency: record.currency,
  price: record.listingType === 'rental' ? record.priceMonthly : record.price,
  has_price: record.price !== null,
  close_price: record.closePrice,
  // Not rounded, or it could not be compared in other units.
  price_per_area: record.price !== null && record.livingArea ? record.price / record.livingArea : null,
  price_direction: record.priceChange?.direction ?? null,
  price_change_percent: record.priceChange?.percent ?? null,
  association_fee: record.monthlyCosts?.associationFee ?? null,
  tax: record.monthlyCosts?.tax ?? null,
  monthly_cost: record.monthlyCosts?.total ?? null,
});

const sizeColumns = (record: StoredRecord) => ({
  bedrooms: record.bedrooms,
  bathrooms: record.bathrooms,
  living_area: record.livingArea,
  lot_size: record.lotSize,
  year_built: record.yearBuilt,
  stories: record.stories,
  floor: record.floor,
  parking_spaces: record.parkingSpaces,
  garage_spaces: record.garageSpaces,
});

function rentalColumns({ rental }: StoredRecord) {
  return {
    available_from: rental?.availableFrom ?? null,
    lease_term_months: rental?.leaseTermMonths ?? null,
    furnished: lower(rental?.furnished ?? null),
    pets: lowerAll(rental?.pets ?? []),
    utilities: lowerAll(rental?.utilitiesIncluded ?? []),
    no_fee: rental?.noFee ?? null,
    rent_control: rental?.rentControl ?? null,
    move_in_cost: moveInCost(rental?.moveInCosts ?? []),
    months_free: rental?.monthsFree ?? null,
    net_effective_price: rental?.netEffectivePrice ?? null,
  };
}

/** The sum of all costs; null where one is unknown, since the sum would be too low. */
function moveInCost(costs: readonly { readonly amount: number | null }[]): number | null {
  if (costs.length === 0 || costs.some(({ amount }) => amount === null)) return null;
  return costs.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
}

const timeColumns = ({ record, listedFrom, ...listing }: ListingSnapshot) => ({
  listed_at: listedFrom,
  updated_at: listing.updatedAt,
  // As moments in UTC: sources also write dates, offsets and fractions of milliseconds.
  closed_at: formatTime(parseTime(record.closedAt)),
  price_changed_at: priceChangedAt(record),
  days_on_market_start: listing.daysOnMarketStart,
  days_on_market_end: listing.daysOnMarketEnd,
});

/** As a moment in UTC, in whole milliseconds: PostgreSQL would round what sources write, where the log truncates it. */
export const priceChangedAt = (record: StoredRecord): string | null =>
  formatTime(parseTime(record.priceChangedAt ?? record.priceChange?.at ?? null));

function placeColumns(listing: ListingSnapshot) {
  const { address } = listing.record;
  return {
    location: searchPoint(listing),
    precision: searchPrecision(listing),
    guessed: listing.record.location !== null && isGuessed(listing.record.location),
    area_nos: listing.areaNos,
    city: keyed(placeKey, address.city),
    neighborhood: keyed(placeKey, address.neighborhood),
    county: keyed(placeKey, address.county),
    state: keyed(placeKey, address.state),
    postal_code: keyed(postalKey, address.postalCode),
    country: keyed(placeKey, address.country),
    address_key: listing.addressDisplayed ? addressKey(address.full) : null,
  };
}

function searchPoint({ record: { location }, addressDisplayed }: ListingSnapshot): string | null {
  if (!location) return null;
  const { lat, lng } = addressDisplayed ? location : coarseLocation(location);
  return `(${lng},${lat})`;
}

/** As readers see it: where the address is withheld, nobody is shown the exact place. */
function searchPrecision({
  record: { location },
  addressDisplayed,
}: ListingSnapshot): SearchRow['precision'] {
  if (location === null) return null;
  return addressDisplayed ? location.precision : 'approximate';
}

/** A multirange of all open houses that are not called off; one without an end is open for its first moment. */
function openHours(houses: StoredRecord['openHouses']): string | null {
  const ranges = houses.flatMap(({ startsAt, endsAt, status }) => {
    const [start, end] = [parseTime(startsAt), parseTime(endsAt)];
    if (start === null || /^cancell?ed$/i.test(status ?? '')) return [];
    return [`[${formatTime(start)},${formatTime(Math.max(start, end ?? start))}]`];
  });
  return ranges.length === 0 ? null : `{${ranges.join()}}`;
}

const keyed = (keyOf: (text: string) => string, text: string | null): string | null =>
  text === null ? null : keyOf(text) || null;
const lower = (text: string | null): string | null => text?.trim().toLowerCase() || null;
const lowerAll = (texts: readonly string[]): string[] => texts.map((text) => text.trim().toLowerCase());

/** The row of listing_text, and its names, against which typos are matched. */
export interface TextRow {
  readonly row: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
}

export function textRow(listing: ListingSnapshot): TextRow {
  const { words, names } = listingWords(listing);
  const all = [...words, ...listing.areaNos.map(areaWord)];
  return { row: { listing_id: listing.id, words: all.map((word) => `'${word}'`).join(' ') }, names };
}

/** Further words are left out. */
const MAX_WORDS = 2_000;

/** The texts of a listing that can be searched, by field. A withheld address is left out of all of them. */
export function searchTexts({ id, record, addressDisplayed }: Omit<ListingSnapshot, 'areaNos'>) {
  const { property: _, ...listing } = record;
  const visible = addressDisplayed ? listing : maskAddress(listing);
  const { address, provider } = visible;
  return [
    [FIELD_LETTERS.id, [id, visible.propertyId, provider.listingKey, provider.listingId]],
    [
      FIELD_LETTERS.address,
      [
        ...(addressDisplayed ? [address.full] : []),
        address.line1,
        address.unit,
        address.streetName,
        address.crossStreet,
        address.postalCode,
      ],
    ],
    [FIELD_LETTERS.area, [address.city, address.neighborhood, address.county, address.state]],
    // Features come first: a long description may have more words than are kept.
    [FIELD_LETTERS.description, [...visible.features, visible.description]],
  ] as const;
}

function listingWords(listing: ListingSnapshot): { words: string[]; names: string[] } {
  const fields = new Map<string, string>();
  const names = new Set<string>();
  for (const [letter, texts] of searchTexts(listing)) {
    const isPlace = letter === FIELD_LETTERS.address || letter === FIELD_LETTERS.area;
    for (const word of tokenize(texts.filter((text) => text !== null).join(' '))) {
      const letters = fields.get(word) ?? '';
      if (letters === '' && fields.size >= MAX_WORDS) continue;
      if (!letters.includes(letter)) fields.set(word, letters + letter);
      if (isPlace && listing.displayed && isName(word)) names.add(word);
    }
  }
  return { words: [...fields].flatMap(([word, letters]) => indexedForms(word, letters)), names: [...names] };
}

/** `letters`: those of the fields that have the word. */
function indexedForms(word: string, letters: string): string[] {
  const { id, address, area, description } = FIELD_LETTERS;
  // Most words are those of descriptions alone.
  if (letters === description) return [word];
  const isNamed = letters.includes(address) || letters.includes(area);
  const prefixed = [...letters].filter((letter) => letter !== description || isNamed);
  const plain = letters === id ? [] : [word];
  return [...plain, ...prefixed.map((letter) => `${letter}${word}`)];
}
