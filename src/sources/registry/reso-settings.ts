// Settings of one RESO source: as they are stored, and with the credentials that they name.

import { readProfile, STANDARD } from '../reso/profiles/profile.ts';
import type { Profile } from '../reso/profiles/profile-schema.ts';
import type { ResoSettings } from './registry-store.ts';
import { absolutePlace, readSecret, type Variables } from './secrets.ts';
import type { ResoSource, SecretPlace } from './source-schema.ts';

/** The settings of a source of a file in this folder, as they are stored: only the process that reads knows its secrets. */
export function resoSettingsOf(
  { id: _, name: __, kind: ___, ...settings }: ResoSource,
  folder: string,
): ResoSettings {
  const secrets = Object.entries(settings.secrets).map(([name, place]) => [
    name,
    absolutePlace(place as SecretPlace, folder),
  ]);
  return { ...settings, url: settings.url.replace(/\/+$/, ''), secrets: Object.fromEntries(secrets) };
}

export type Credentials =
  | { readonly kind: 'bearer'; readonly token: string }
  | {
      readonly kind: 'client';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
    };

/** The profile of a source, with what its operator overrides. */
export const profileOf = ({ profile = STANDARD, overrides }: ResoSettings): Profile =>
  readProfile(profile, overrides);

/** The credentials of a source. Throws SecretMissing. */
export async function resoCredentials(settings: ResoSettings, variables: Variables): Promise<Credentials> {
  const { secrets } = settings;
  const read = (name: keyof typeof secrets) => readSecret(secrets[name] ?? '', name, '/', variables);
  if (secrets.bearerToken !== undefined) return { kind: 'bearer', token: await read('bearerToken') };
  return {
    kind: 'client',
    tokenUrl:
      secrets.tokenUrl === undefined
        ? (profileOf(settings).authentication.tokenUrl ?? '')
        : await read('tokenUrl'),
    clientId: await read('clientId'),
    clientSecret: await read('clientSecret'),
  };
}
