// Columns of a search row that conditions refer to.

/** Columns of the search row that a range can be asked of. */
export type RangeColumn =
  | 'price'
  | 'closePrice'
  | 'pricePerArea'
  | 'bedrooms'
  | 'bathrooms'
  | 'livingArea'
  | 'lotSize'
  | 'yearBuilt'
  | 'parkingSpaces'
  | 'garageSpaces'
  | 'stories'
  | 'floor'
  | 'priceChangePercent'
  | 'leaseTermMonths'
  | 'moveInCost'
  | 'netEffectivePrice'
  | 'monthlyCost'
  | 'associationFee'
  | 'tax'
  | 'daysOnMarket'
  | 'listedAt'
  | 'updatedAt'
  | 'closedAt'
  | 'priceChangedAt'
  | 'availableFrom';

export type WordColumn =
  | 'city'
  | 'neighborhood'
  | 'county'
  | 'state'
  | 'postalCode'
  | 'country'
  | 'propertyType'
  | 'propertySubType'
  | 'furnished'
  | 'priceDirection'
  | 'agentId'
  | 'officeId'
  | 'providerId'
  | 'mlsNumber'
  | 'currency'
  | 'id';

export type FlagColumn =
  | 'newConstruction'
  | 'waterfront'
  | 'noFee'
  | 'rentControl'
  | 'hasPhotos'
  | 'hasVirtualTour'
  | 'hasPrice'
  | 'hasLivingArea'
  | 'hasConcession';

export type ListColumn = 'features' | 'pets' | 'utilities' | 'saleConditions';
