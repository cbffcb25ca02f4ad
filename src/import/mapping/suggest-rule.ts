// Rules that would take values which a map rejects: translations, formats of numbers, patterns of dates.

import { nearest } from '../../lib/nearest.ts';
import { readDate } from './dates.ts';
import { type Field, NUMBER_KINDS, Unreadable } from './fields.ts';
import { NUMBER_FORMATS, readNumber } from './numbers.ts';

/** What files call the statuses and types, in lower case. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  CLOSED: ['sold', 'settled', 'completed', 'leased', 'rented', 'let', 'verkauft', 'vendu', 'vendido'],
  ACTIVE: ['for sale', 'for rent', 'available', 'current', 'listed', 'new', 'on market', 'price change'],
  ACTIVE_UNDER_CONTRACT: ['contingent', 'under contract', 'under offer', 'sale agreed', 'backup'],
  PENDING: ['pending sale', 'pend', 'in escrow', 'reserved'],
  WITHDRAWN: ['temporarily off market', 'off market', 'withdrawn temporary'],
  CANCELED: ['cancelled', 'terminated'],
  sale: ['for sale', 'sell', 's', 'buy', 'kauf', 'vente', 'venta'],
  rental: ['for rent', 'rent', 'lease', 'let', 'to let', 'r', 'miete', 'location', 'alquiler'],
  SINGLE_FAMILY: ['house', 'detached', 'single family residence', 'sfr', 'sfh', 'haus', 'maison', 'casa'],
  CONDO: ['condominium', 'eigentumswohnung'],
  APARTMENT: ['flat', 'apt', 'wohnung', 'appartement', 'piso', 'unit', 'studio'],
  TOWNHOUSE: ['townhome', 'row house', 'terraced', 'semi-detached'],
  MULTI_FAMILY: ['duplex', 'triplex', 'fourplex', 'multifamily', 'residential income'],
  MANUFACTURED: ['mobile home', 'mobile', 'manufactured home'],
  LAND: ['lot', 'vacant land', 'lots and land', 'acreage', 'grundstück'],
  COMMERCIAL: ['office', 'retail', 'industrial', 'commercial sale'],
};

const YES: readonly string[] = ['ja', 'oui', 'si', 'sí', 'sim', 'x', 'on', 'vrai', 'wahr'];
const NO: readonly string[] = ['nein', 'non', 'não', '-', 'off', 'none', 'faux', 'falsch'];

const DATE_PATTERNS = [
  'MM/DD/YYYY',
  'M/D/YYYY',
  'DD/MM/YYYY',
  'D/M/YYYY',
  'M/D/YY',
  'D/M/YY',
  'D.M.YYYY',
  'D.M.YY',
  'D-M-YYYY',

  'YYYYMMDD',
  'YYYY/M/D',
  'YYYY-M-D',
  'D-MMM-YYYY',
  'D-MMM-YY',
  'MMM D, YYYY',
  'MMMM D, YYYY',
  'D MMM YYYY',
  'M/D/YYYY H:mm',
  'M/D/YYYY H:mm:ss',
  'M/D/YYYY h:mm A',
  'M/D/YYYY h:mm:ss A',
  'D/M/YYYY H:mm',
  'D/M/YYYY H:mm:ss',
  'D.M.YYYY H:mm',
  'D.M.YYYY H:mm:ss',
  'YYYYMMDDTHHmmss',
  'YYYYMMDDHHmmss',
];
/** Patterns shown where several fit. */
const MAX_PATTERNS = 2;

/** The member of a rule that would take all these values; null where none is known. */
export function suggestRule(field: Field, values: readonly string[]): string | null {
  if (field.kind === 'choice') return suggestTranslation(field.choices ?? [], values[0] ?? '');
  if (field.kind === 'boolean') return suggestBoolean(values[0] ?? '');
  if (NUMBER_KINDS.includes(field.kind)) return suggestFormat(NUMBER_FORMATS, values, readNumber);
  if (!['date', 'time', 'timeOrDate'].includes(field.kind)) return null;
  if (values.every((value) => /^1\d{9}$/.test(value))) return '"format": "unix"';
  if (values.every((value) => /^1\d{12}$/.test(value))) return '"format": "unixMilliseconds"';
  return suggestFormat(DATE_PATTERNS, values, (value, format) => readDate(value, format, undefined));
}

function suggestTranslation(choices: readonly string[], value: string): string {
  const folded = value.toLowerCase();
  const meant =
    choices.find((choice) => MEANINGS[choice]?.includes(folded)) ?? nearest(value.toUpperCase(), choices);
  return `"values": {${JSON.stringify(value)}: ${JSON.stringify(meant ?? '…')}}`;
}

function suggestBoolean(value: string): string {
  const folded = value.toLowerCase();
  const meant = YES.includes(folded) ? 'true' : NO.includes(folded) ? 'false' : 'true or false';
  return `"values": {${JSON.stringify(value)}: ${meant}}`;
}

function suggestFormat(
  formats: readonly string[],
  values: readonly string[],
  read: (value: string, format: string) => unknown,
): string | null {
  const fitting = formats.filter((format) => values.every((value) => canRead(() => read(value, format))));
  if (fitting.length === 0) return null;
  return fitting
    .slice(0, MAX_PATTERNS)
    .map((format) => `"format": ${JSON.stringify(format)}`)
    .join(' or ');
}

function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}
