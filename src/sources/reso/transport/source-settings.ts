// Settings of the source: which one it is, and how it is read.

import type { SettingsReader } from '../../../lib/settings.ts';
import { ProfileError, profileNames, readProfile, STANDARD } from '../profiles/profile.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import type { ResoCredentials } from './token.ts';

export type SourceSettings =
  | { readonly kind: 'sample'; readonly port: number; readonly interval: number }
  | {
      readonly kind: 'reso';
      /** What is particular to the server. */
      readonly profile: Profile;
      readonly url: string;
      readonly credentials: ResoCredentials;
      readonly refreshesPerMinute: number;
      /** Whether listings without a display rule are shown. */
      readonly showsByDefault: boolean;
      /** IANA name of the zone of times that the feed writes without one; null: not known. */
      readonly timeZone: string | null;
    }
  | { readonly kind: 'none' };

/** The settings of a RESO source. */
export type ResoSourceSettings = Extract<SourceSettings, { readonly kind: 'reso' }>;

const DISPLAY_DEFAULTS = ['show', 'withhold'] as const;
const SOURCES = ['sample', 'reso', 'none'] as const;

/** Reads where listings come from; names in `faults` what is missing or invalid. */
export function readSourceSettings(read: SettingsReader): SourceSettings {
  const kind = read.oneOf('SOURCE', SOURCES, 'sample');
  const port = read.integer('SAMPLE_PORT', 0, 0, 65_535);
  const interval = read.integer('SAMPLE_INTERVAL', 5, 0, 86_400);
  const url = read.url('RESO_BASE_URL');
  const profile = readProfileSettings(read, kind === 'reso');
  const credentials = readCredentials(read, kind === 'reso', profile);
  const refreshesPerMinute = read.integer('RESO_REFRESHES_PER_MINUTE', 60, 0, 10_000);
  const showsByDefault = read.oneOf('RESO_DISPLAY_DEFAULT', DISPLAY_DEFAULTS, 'show') === 'show';
  const timeZone = read.timeZone('RESO_TIME_ZONE');
  if (kind === 'sample') return { kind, port, interval };
  if (kind === 'none') return { kind };
  if (url === null)
    read.faults.push('RESO_BASE_URL is missing: SOURCE=reso needs the root of a RESO Web API service');
  return { kind, profile, url: url ?? '', credentials, refreshesPerMinute, showsByDefault, timeZone };
}

/** The profile with what the operator overrides. `needed`: whether it is used, so that faults of it count. */
function readProfileSettings(read: SettingsReader, needed: boolean): Profile {
  const name = read.oneOf('RESO_PROFILE', profileNames(), STANDARD);
  const originatingSystem = read.text('RESO_ORIGINATING_SYSTEM');
  const overrides = readOverrides(read);
  const own = originatingSystem === null ? overrides : { ...overrides, originatingSystem };
  try {
    return readProfile(name, own);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    if (needed)
      for (const fault of error.faults)
        read.faults.push(
          fault.startsWith('originatingSystem:')
            ? `RESO_ORIGINATING_SYSTEM is missing: RESO_PROFILE=${name} needs the OriginatingSystemName of the feed`
            : `RESO_PROFILE_OVERRIDES: ${fault}`,
        );
    return readProfile(STANDARD);
  }
}

function readOverrides(read: SettingsReader): object {
  const text = read.text('RESO_PROFILE_OVERRIDES');
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Named below.
  }
  read.faults.push('RESO_PROFILE_OVERRIDES must be an object of JSON, such as {"page":{"size":500}}');
  return {};
}

function readCredentials(read: SettingsReader, needed: boolean, profile: Profile): ResoCredentials {
  const bearerToken = read.text('RESO_BEARER_TOKEN');
  const { kind, scope, tokenUrl: usualUrl } = profile.authentication;
  const statedUrl = read.url('RESO_TOKEN_URL');
  const [clientId, clientSecret] = [read.text('RESO_CLIENT_ID'), read.text('RESO_CLIENT_SECRET')];
  // Some vendors have one address for all.
  const tokenUrl = statedUrl ?? (clientId === null ? null : usualUrl);
  const some = [tokenUrl, clientId, clientSecret].filter((value) => value !== null).length;
  if (bearerToken !== null && some > 0) {
    read.faults.push(
      'RESO_BEARER_TOKEN excludes RESO_TOKEN_URL, RESO_CLIENT_ID and RESO_CLIENT_SECRET: set one kind',
    );
  } else if (bearerToken === null && (some > 0 || needed) && some < 3) {
    read.faults.push(
      'RESO credentials are incomplete: set RESO_TOKEN_URL, RESO_CLIENT_ID and RESO_CLIENT_SECRET, or RESO_BEARER_TOKEN',
    );
  }
  if (needed && kind === 'bearer' && bearerToken === null && some > 0)
    read.faults.push(`RESO_PROFILE=${profile.name} takes a token: set RESO_BEARER_TOKEN instead of a client`);
  if (needed && kind === 'client' && bearerToken !== null)
    read.faults.push(
      `RESO_PROFILE=${profile.name} takes RESO_CLIENT_ID and RESO_CLIENT_SECRET instead of RESO_BEARER_TOKEN`,
    );
  if (bearerToken !== null) return { kind: 'bearer', token: bearerToken };
  return {
    kind: 'client',
    tokenUrl: tokenUrl ?? '',
    clientId: clientId ?? '',
    clientSecret: clientSecret ?? '',
    scope,
  };
}
