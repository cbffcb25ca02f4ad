// Source of a command that reads it by itself: that of the settings, or one that is set up, with the credentials of this process.

import { type OpenOptions, openOwn, openRegistered } from '../../app/upstream.ts';
import { type Config, readVariables } from '../../config.ts';
import type { Database } from '../../postgres/client/database.ts';
import { pendingMigrations } from '../../postgres/migrations/migrate.ts';
import { SETTINGS_CREDENTIAL } from '../../sources/budget/connection.ts';
import { findResoSources } from '../../sources/registry/registry-store.ts';
import { profileOf } from '../../sources/registry/reso-settings.ts';
import { SecretMissing } from '../../sources/registry/secrets.ts';
import type { Profile } from '../../sources/reso/profiles/profile-schema.ts';
import type { Source } from '../../sources/source.ts';
import { openCommandDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';

/** What is needed to read a source. */
export interface Target {
  readonly id: string;
  readonly url: string;
  readonly profile: Profile;
  /** Names the credential, by the names in the settings. */
  readonly secrets: unknown;
  /** Throws CommandFailure where a secret is missing here. */
  readonly open: (options: Omit<OpenOptions, 'mediaMode'>) => Promise<Source>;
}

/** The source of the settings, if it is a RESO server. */
export function ownTarget({ source, media }: Pick<Config, 'source' | 'media'>): Target | null {
  if (source.kind !== 'reso') return null;
  const { url, profile } = source;
  return {
    id: 'reso',
    url,
    profile,
    secrets: SETTINGS_CREDENTIAL,
    open: async (options) => openOwn(source, { ...options, mediaMode: media.mode }),
  };
}

/** All RESO servers that this process can name: that of the settings, and those that are set up. */
export async function findTargets(
  config: Pick<Config, 'source' | 'media'>,
  database: Database | null,
): Promise<Target[]> {
  const own = ownTarget(config);
  const registered = database === null ? [] : await database.read(findResoSources);
  const others = registered.filter(({ id }) => id !== own?.id);
  const opened = others.map((source): Target => {
    const { id, settings } = source;
    return {
      id,
      url: settings.url,
      profile: profileOf(settings),
      secrets: settings.secrets,
      open: (options) =>
        openRegistered(source, { ...options, mediaMode: config.media.mode }, readVariables()).catch(
          (error: unknown) => {
            if (!(error instanceof SecretMissing)) throw error;
            throw new CommandFailure(`The source ${id} cannot be read here: ${error.message}.`);
          },
        ),
    };
  });
  return own === null ? opened : [own, ...opened];
}

/** Runs work with the database, if there is one that this release can use; else with null: requests are not counted then. */
export async function withUsableDatabase<T>(
  config: Config,
  work: (database: Database | null) => Promise<T>,
): Promise<T> {
  const opened = await openCommandDatabase(config).catch(() => null);
  if (opened === null) return work(null);
  try {
    const isUsable = await pendingMigrations(opened.database).then(
      (pending) => pending.length === 0,
      () => false,
    );
    return await work(isUsable ? opened.database : null);
  } finally {
    await opened.close();
  }
}
