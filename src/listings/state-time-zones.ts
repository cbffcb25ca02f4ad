// Time zones of American states and Canadian provinces, for places whose areas name none.

/** States by their postal codes; of two zones in a state, that of most of its people. */
const STATES: Readonly<Record<string, string>> = {
  'America/New_York': 'CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV ON QC',
  'America/Chicago': 'AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI',
  'America/Denver': 'CO ID MT NM UT WY',
  'America/Phoenix': 'AZ',
  'America/Los_Angeles': 'CA NV OR WA',
  'America/Anchorage': 'AK',
  'Pacific/Honolulu': 'HI',
  'America/Puerto_Rico': 'PR VI',
  'America/Vancouver': 'BC',
  'America/Edmonton': 'AB',
  'America/Regina': 'SK',
  'America/Winnipeg': 'MB',
  'America/Halifax': 'NB NS PE',
  'America/St_Johns': 'NL',
};

const ZONES = new Map(
  Object.entries(STATES).flatMap(([zone, codes]) => codes.split(' ').map((code) => [code, zone] as const)),
);

const NORTH_AMERICA: readonly (string | null)[] = [null, 'US', 'USA', 'UNITED STATES', 'CA', 'CAN', 'CANADA'];

/** The time zone of a place by its state; null elsewhere. */
export function stateTimeZone(state: string | null, country: string | null): string | null {
  if (!NORTH_AMERICA.includes(country?.trim().toUpperCase() ?? null)) return null;
  return ZONES.get(state?.trim().toUpperCase() ?? '') ?? null;
}
