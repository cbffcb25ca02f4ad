// Names of places in an address, also where the source gives the whole of it as one text. Pure.

/** What an address says of where it is; null: it does not say. */
export interface AddressNames {
  readonly full: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
}

const US = /^(?:(?<city>\D+?)\s+)?(?<state>[A-Za-z]{2})\.?\s+(?<postalCode>\d{5}(?:-\d{4})?)$/;
const CANADA = /^(?:(?<city>\D+?)\s+)?(?<state>[A-Z]{2})\s+(?<postalCode>[A-Z]\d[A-Z] ?\d[A-Z]\d)$/i;
/** `10115 Berlin`, `1010 AB Amsterdam`, `11-042 Olsztyn`. */
const CODE_FIRST =
  /^(?:[A-Z]{1,2}-)?(?<postalCode>\d{4,5}|\d{2,4}[- ]\d{2,3}|\d{4} ?[A-Z]{2})\s+(?<city>\D+)$/;
/** `Leeds LS1 4DY`. */
const BRITAIN = /^(?:(?<city>\D+?)\s+)?(?<postalCode>[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})$/i;
/** After a street in the same part. */
const US_END = /\s(?<state>[A-Z]{2})\s+(?<postalCode>\d{5}(?:-\d{4})?)$/;
const STATE = /^[A-Z]{2,3}$/;
const NO_DIGITS = /^\D{2,60}$/;

/**
 * The names that an address has members for; where it has neither city nor postal code, those at the end of its text.
 * `isCountry` says whether a part of the text names a country.
 */
export function namesInAddress(address: AddressNames, isCountry: (text: string) => boolean): AddressNames {
  if (address.city !== null || address.postalCode !== null || address.full === null) return address;
  const parts = address.full.split(/[,\n]/).map((part) => part.trim().replace(/\s+/g, ' '));
  let country = address.country;
  const last = parts.at(-1) ?? '';
  // `IN` is Indiana rather than India: two letters at the end are a state, if a town stands before them.
  if (parts.length > 1 && last.length > 2 && isCountry(last)) {
    country ??= last;
    parts.pop();
  }
  const named = readTail(parts);
  return named === null ? address : { ...address, ...named, state: address.state ?? named.state, country };
}

type Tail = Pick<AddressNames, 'city' | 'state' | 'postalCode'>;

/** From the last parts of a text; null where they say nothing. The first part is a street, unless it is the only one. */
function readTail(parts: readonly string[]): Tail | null {
  const [last = '', before = null] = [parts.at(-1), parts.length > 2 ? parts.at(-2) : null];
  for (const form of [US, CANADA, CODE_FIRST, BRITAIN, US_END]) {
    const groups = form.exec(last)?.groups;
    if (groups === undefined) continue;
    const { city = null, state = null, postalCode = null } = groups;
    return { city: city ?? townOf(before), state: state?.toUpperCase() ?? null, postalCode };
  }
  if (STATE.test(last) && parts.length > 1) {
    const city = townOf(parts.at(-2) ?? null);
    return city === null ? null : { city, state: last, postalCode: null };
  }
  // A text of one part may be a street alone.
  return parts.length > 1 && NO_DIGITS.test(last) ? { city: last, state: null, postalCode: null } : null;
}

const townOf = (part: string | null): string | null => (part !== null && NO_DIGITS.test(part) ? part : null);
