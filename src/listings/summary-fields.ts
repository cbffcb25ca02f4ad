// Short listing record: the members by which people choose among homes, as `fields=summary` selects them.

/** The last key of a path that selects the short record of a listing: `summary`, or `currentListing.summary`. */
const SUMMARY = 'summary';

/** Its members. Attribution and age come with it, since display rules of sources ask for both beside each listing. */
const SUMMARY_FIELDS: readonly string[] = [
  'id',
  'object',
  'propertyId',
  'listingType',
  'status',
  'price',
  'currency',
  'priceFrequency',
  'closePrice',
  'closedAt',
  'propertyType',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'areaUnit',
  'yearBuilt',
  'address.full',
  'address.neighborhood',
  'daysOnMarket',
  'provider.attribution',
  'fetchedAt',
];

/** The paths, with the members of a short record in place of each `summary`. */
export function expandSummaries(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (path !== SUMMARY && !path.endsWith(`.${SUMMARY}`)) return [path];
    const prefix = path.slice(0, -SUMMARY.length);
    return SUMMARY_FIELDS.map((field) => `${prefix}${field}`);
  });
}
