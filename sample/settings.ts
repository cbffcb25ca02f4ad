// Command line and environment of the sample.
import { parseArgs } from 'node:util';
import type { Spelling } from './odata/lookups.ts';
import type { Credentials } from './token.ts';
import { VENDORS, type VendorName } from './vendors/rules.ts';

export interface Settings {
  readonly port: number;
  /** Seconds between steps; 0: the market moves only by control. */
  readonly interval: number;
  readonly listings: number;
  readonly seed: string;
  readonly stateFile: string | null;
  readonly spelling: Spelling;
  /** Where others have the pictures from, without a slash at its end; null: from the sample itself. */
  readonly photosUrl: string | null;
  /** Seconds. */
  readonly tokenLifetime: number;
  readonly credentials: Credentials;
  /** Whose servers it behaves like; null: those of none in particular. */
  readonly vendor: VendorName | null;
}

export const MIN_LISTINGS = 500;
export const MAX_LISTINGS = 20_000;

/** Reads the settings; throws an Error whose message says what to write instead. */
export function readSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      interval: { type: 'string', default: '5' },
      listings: { type: 'string', default: String(MAX_LISTINGS) },
      seed: { type: 'string', default: 'freehold' },
      state: { type: 'string' },
      'photos-url': { type: 'string' },
      enums: { type: 'string', default: 'display' },
      vendor: { type: 'string' },
      'token-lifetime': { type: 'string', default: '3600' },
    },
  });
  if (values.enums !== 'display' && values.enums !== 'legacy')
    throw new Error('--enums must be display or legacy');
  return {
    port: readNumber('--port', values.port, 0, 65_535, true),
    interval: readNumber('--interval', values.interval, 0, 86_400, false),
    listings: readNumber('--listings', values.listings, MIN_LISTINGS, MAX_LISTINGS, true),
    seed: values.seed,
    stateFile: values.state ?? null,
    spelling: values.enums,
    photosUrl: values['photos-url'] ?? null,
    tokenLifetime: readNumber('--token-lifetime', values['token-lifetime'], 1, 31_536_000, true),
    credentials: readCredentials(environment),
    vendor: readVendor(values.vendor),
  };
}

function readVendor(name: string | undefined): VendorName | null {
  if (name === undefined) return null;
  const vendor = VENDORS.find((known) => known === name);
  if (vendor === undefined) throw new Error(`--vendor must be one of ${VENDORS.join(', ')}`);
  return vendor;
}

/** Without credentials in the environment the sample is being tried by hand: then any may know them. */
function readCredentials(environment: Readonly<Record<string, string | undefined>>): Credentials {
  const { SAMPLE_CLIENT_ID: clientId, SAMPLE_CLIENT_SECRET: clientSecret } = environment;
  if (!clientId !== !clientSecret)
    throw new Error('Set both SAMPLE_CLIENT_ID and SAMPLE_CLIENT_SECRET, or neither');
  return clientId && clientSecret
    ? { clientId, clientSecret }
    : { clientId: 'sample', clientSecret: 'sample' };
}

function readNumber(name: string, text: string, least: number, most: number, whole: boolean): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most) || (whole && !Number.isInteger(value))) {
    throw new Error(`${name} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`);
  }
  return value;
}
