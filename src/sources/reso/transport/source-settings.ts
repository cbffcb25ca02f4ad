// Settings of the source: which one it is, and how it is read.

import type { SettingsReader } from '../../../lib/settings.ts';
import type { ResoCredentials } from './token.ts';

export type SourceSettings =
  | { readonly kind: 'sample'; readonly port: number; readonly interval: number }
  | {
      readonly kind: 'reso';
      readonly url: string;
      readonly credentials: ResoCredentials;
      readonly refreshesPerMinute: number;
      /** Whether listings without a display rule are shown. */
      readonly showsByDefault: boolean;
      /** IANA name of the zone of times that the feed writes without one; null: not known. */
      readonly timeZone: string | null;
    }
  | { readonly kind: 'none' };

const DISPLAY_DEFAULTS = ['show', 'withhold'] as const;
const SOURCES = ['sample', 'reso', 'none'] as const;

/** Reads where listings come from; names in `faults` what is missing or invalid. */
export function readSourceSettings(read: SettingsReader): SourceSettings {
  const kind = read.oneOf('SOURCE', SOURCES, 'sample');
  const port = read.integer('SAMPLE_PORT', 0, 0, 65_535);
  const interval = read.integer('SAMPLE_INTERVAL', 5, 0, 86_400);
  const url = read.url('RESO_BASE_URL');
  const credentials = readCredentials(read, kind === 'reso');
  const refreshesPerMinute = read.integer('RESO_REFRESHES_PER_MINUTE', 60, 0, 10_000);
  const showsByDefault = read.oneOf('RESO_DISPLAY_DEFAULT', DISPLAY_DEFAULTS, 'show') === 'show';
  const timeZone = read.timeZone('RESO_TIME_ZONE');
  if (kind === 'sample') return { kind, port, interval };
  if (kind === 'none') return { kind };
  if (url === null)
    read.faults.push('RESO_BASE_URL is missing: SOURCE=reso needs the root of a RESO Web API service');
  return { kind, url: url ?? '', credentials, refreshesPerMinute, showsByDefault, timeZone };
}

function readCredentials(read: SettingsReader, needed: boolean): ResoCredentials {
  const bearerToken = read.text('RESO_BEARER_TOKEN');
  const tokenUrl = read.url('RESO_TOKEN_URL');
  const [clientId, clientSecret] = [read.text('RESO_CLIENT_ID'), read.text('RESO_CLIENT_SECRET')];
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
  if (bearerToken !== null) return { kind: 'bearer', token: bearerToken };
  return {
    kind: 'client',
    tokenUrl: tokenUrl ?? '',
    clientId: clientId ?? '',
    clientSecret: clientSecret ?? '',
  };
}
