// What terms withhold of a draft before it is stored: hidden members, and all of a listing that lacks a required text. Pure.

import type { Hideable, Requirable, Withholding } from '../../licence/terms/terms.ts';
import type { ListingDraft } from '../../listings/draft.ts';

/** The draft without a member. Where a source sends no pictures or open houses, the stored ones stay: hidden, there are none. */
const HIDDEN: Readonly<Record<Hideable, (draft: ListingDraft) => Partial<ListingDraft>>> = {
  statusRaw: () => ({ statusRaw: null }),
  closePrice: withoutClosePrice,
  monthlyCosts: () => ({ associationFee: null, tax: null }),
  rental: () => ({ rental: null }),
  propertySubType: () => ({ propertySubType: null }),
  bedrooms: () => ({ bedrooms: null }),
  bathrooms: () => ({ bathrooms: null, bathroomsFull: null, bathroomsHalf: null }),
  rooms: () => ({ rooms: null }),
  livingArea: () => ({ livingArea: null }),
  lotSize: () => ({ lotSize: null }),
  yearBuilt: () => ({ yearBuilt: null }),
  stories: () => ({ stories: null }),
  floor: () => ({ floor: null }),
  parkingSpaces: () => ({ parkingSpaces: null }),
  garageSpaces: () => ({ garageSpaces: null }),
  features: () => ({ features: [] }),
  newConstruction: () => ({ newConstruction: null }),
  waterfront: () => ({ waterfront: null }),
  saleConditions: () => ({ saleConditions: [] }),
  description: () => ({ description: null }),
  photos: withoutPictures,
  virtualTourUrl: () => ({ virtualTourUrl: null }),
  openHouses: () => ({ openHouses: [] }),
  agent: () => ({ agent: null }),
  expiresOn: () => ({ expiresOn: null }),
  listingUrl: () => ({ listingUrl: null }),
  daysOnMarketReported: () => ({ daysOnMarketReported: null }),
  taxes: () => ({ taxes: [] }),
  building: () => ({ buildingName: null }),
  unitsTotal: () => ({ unitsTotal: null }),
};

/** Sources write the price paid where the asking price was. */
function withoutClosePrice({ status, listPrice, closePrice }: ListingDraft): Partial<ListingDraft> {
  const isPaid = status === 'CLOSED' && listPrice !== null && listPrice === closePrice;
  return isPaid ? { listPrice: null, previousPrice: null, closePrice: null } : { closePrice: null };
}

/** Floor plans among them. Those that are requested when they are copied are not requested. */
function withoutPictures({ media }: ListingDraft): Partial<ListingDraft> {
  const none = { photos: [], floorPlans: [] };
  return media === undefined ? none : { ...none, media: { mode: media.mode } };
}

const STATED: Readonly<Record<Requirable, (draft: ListingDraft) => string | null | undefined>> = {
  brokerage: ({ office }) => office?.name,
  agent: ({ agent }) => agent?.name,
  contact: ({ attribution, agent, office }) =>
    attribution ?? agent?.phone ?? agent?.email ?? office?.phone ?? office?.email,
  copyright: ({ copyright }) => copyright,
};

/** Whether a draft has all required texts. What its source removed has no texts any more. */
const isAttributed = (draft: ListingDraft, required: readonly Requirable[]): boolean =>
  draft.status === 'DELETED' || required.every((name) => (STATED[name](draft) ?? '').trim() !== '');

/**
 * The draft as it may be stored. Of RESO's own fields nobody can tell which repeat a hidden member, so that nothing stays of them where
 * one is hidden.
 */
export function withhold(draft: ListingDraft, { hiddenFields, required }: Withholding): ListingDraft {
  if (hiddenFields.length === 0 && required.length === 0) return draft;
  const display = isAttributed(draft, required) ? draft.display : { ...draft.display, listing: false };
  const { reso, ...rest } = draft;
  let withheld: ListingDraft = { ...rest, display };
  for (const name of hiddenFields) withheld = { ...withheld, ...HIDDEN[name](draft) };
  return hiddenFields.length > 0 || reso === undefined ? withheld : { ...withheld, reso };
}
