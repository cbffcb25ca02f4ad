// Parts of an address that is written in one text: house number, street, unit, city, state, postal code, country.

/** Parts that a rule can take. */
export const ADDRESS_PARTS = [
  'streetNumber',
  'streetName',
  'unit',
  'city',
  'state',
  'postalCode',
  'country',
] as const;

export type AddressPart = (typeof ADDRESS_PARTS)[number];
export type AddressParts = Partial<Record<AddressPart, string>>;

const COUNTRIES: Readonly<Record<string, string>> = {
  usa: 'US',
  us: 'US',
  'u.s.a.': 'US',
  'united states': 'US',
  'united states of america': 'US',
  uk: 'GB',
  'u.k.': 'GB',
  'united kingdom': 'GB',
  'great britain': 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  germany: 'DE',
  deutschland: 'DE',
  spain: 'ES',
  españa: 'ES',
  france: 'FR',
  canada: 'CA',
  ireland: 'IE',
  austria: 'AT',
  österreich: 'AT',
  switzerland: 'CH',
  schweiz: 'CH',
  suisse: 'CH',
  italy: 'IT',
  italia: 'IT',
  portugal: 'PT',
  netherlands: 'NL',
  nederland: 'NL',
  belgium: 'BE',
  belgique: 'BE',
  australia: 'AU',
  mexico: 'MX',
  méxico: 'MX',
};

const STATES =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR VI GU AB BC MB NB NL NS NT NU ON PE QC SK YT NSW VIC QLD TAS ACT'.split(
    ' ',
  );

const UNIT =
  /^(?:(?:apt|apartment|unit|suite|ste|flat|wohnung|whg|appt|appartement|piso|puerta|#)\b\.?|#)\s*#?\s*(?<unit>[\p{L}\p{N}-]+)$/iu;
/** A unit at the end of the street, as in `12 Oak St Apt 4`. */
const TRAILING_UNIT =
  /^(?<street>.*\S)\s+(?:(?:apt|apartment|unit|suite|ste|flat)\b\.?\s*#?|#)\s*(?<unit>[\p{L}\p{N}-]+)$/iu;
const FLOOR_AND_DOOR = /^\d{1,2}\s*[ºª°](?:\s*[\p{L}\d]+)?$/u;

/** `WA 98101`, `WA` or a British or Canadian code behind it. */
const STATE_AND_CODE = /^(?<state>[A-Z]{2,3})(?:\s+(?<code>\d{4,5}(?:-\d{4})?|[A-Z]\d[A-Z]\s?\d[A-Z]\d))?$/;
const CITY_STATE_AND_CODE =
  /^(?<city>\D+?)\s+(?<state>[A-Z]{2,3})\s+(?<code>\d{4,5}(?:-\d{4})?|[A-Z]\d[A-Z]\s?\d[A-Z]\d)$/;
const CODE_AND_CITY = /^(?:[A-Z]{1,2}-)?(?<code>\d{4,5})\s+(?<city>\D.*)$/u;
const CITY_AND_CODE =
  /^(?<city>\D*?)\s*(?<code>\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|[A-Z]\d[A-Z]\s?\d[A-Z]\d)$/u;

const STREET_AND_PLACE = /^(?<street>.*\d.*?)\s+(?<place>\d{5}\s+\p{L}.*)$/u;
const NUMBER_FIRST =
  /^(?<number>\d+(?:\s?[-–/]\s?\d+)?(?:[A-Za-z]\b|\s?(?:bis|ter)\b)?),?\s+(?<street>\p{L}.*|\d+(?:st|nd|rd|th)\b.*)$/iu;
const NUMBER_LAST =
  /^(?<street>\D*\p{L}\D*?),?\s+(?:n[ºo°.]\s*)?(?<number>\d+(?:\s?[-–/]\s?\d+)?\s?[a-zA-Z]?)$/u;

/** The parts of an address; what cannot be recognised is absent. */
export function addressParts(text: string): AddressParts {
  const pieces = text
    .split(/[,;\n]+/)
    .map((piece) => piece.trim().replace(/\s+/g, ' '))
    .filter((piece) => piece !== '');
  const parts: AddressParts = {};
  const last = pieces.at(-1);
  if (pieces.length > 1 && last !== undefined && COUNTRIES[last.toLowerCase()] !== undefined) {
    parts.country = COUNTRIES[last.toLowerCase()] ?? last;
    pieces.pop();
  }
  // The unit may stand before the street, and nothing but a space between the street and the place.
  if (pieces.length > 1 && takeUnit(parts, pieces[0] ?? '')) pieces.shift();
  const run = pieces.length === 1 ? STREET_AND_PLACE.exec(pieces[0] ?? '')?.groups : undefined;
  if (run !== undefined) pieces.splice(0, 1, run.street ?? '', run.place ?? '');
  const street = pieces.shift() ?? '';
  // A house number by itself, as in `Calle Mayor, 5`.
  const isNumber = /^(?:n[ºo°.]\s*)?\d+\s?[a-zA-Z]?$/.test(pieces[0] ?? '') && !/\d/.test(street);
  takeStreet(parts, isNumber ? `${street} ${pieces.shift() ?? ''}` : street);
  takePlace(
    parts,
    pieces.filter((piece) => !takeUnit(parts, piece)),
  );
  return parts;
}

function takeStreet(parts: AddressParts, text: string): void {
  const { street: own, unit } = TRAILING_UNIT.exec(text)?.groups ?? {};
  if (unit !== undefined) parts.unit = unit;
  const street = own ?? text;
  const found = (NUMBER_FIRST.exec(street) ?? NUMBER_LAST.exec(street))?.groups;
  if (found?.number !== undefined) parts.streetNumber = found.number.trim();
  const name = found?.street?.trim() ?? street;
  if (name !== '') parts.streetName = name;
}

function takeUnit(parts: AddressParts, piece: string): boolean {
  const unit = UNIT.exec(piece)?.groups?.unit ?? (FLOOR_AND_DOOR.test(piece) ? piece : undefined);
  if (unit === undefined) return false;
  parts.unit ??= unit;
  return true;
}

/** From the end: a state, a postal code, a city. */
function takePlace(parts: AddressParts, pieces: string[]): void {
  for (const piece of pieces.toReversed()) {
    const state = STATE_AND_CODE.exec(piece)?.groups;
    if (state?.state !== undefined && STATES.includes(state.state) && parts.city === undefined) {
      parts.state ??= state.state;
      if (state.code !== undefined) parts.postalCode ??= state.code;
      continue;
    }
    const place =
      CITY_STATE_AND_CODE.exec(piece)?.groups ??
      CODE_AND_CITY.exec(piece)?.groups ??
      CITY_AND_CODE.exec(piece)?.groups;
    if (place?.code !== undefined && parts.postalCode === undefined) {
      parts.postalCode = place.code;
      if (place.state !== undefined) parts.state ??= place.state;
      if (place.city !== undefined && place.city !== '') parts.city ??= place.city;
      continue;
    }
    parts.city ??= piece;
  }
}
