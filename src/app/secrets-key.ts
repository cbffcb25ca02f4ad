// Key of stored secrets: the setting, or with the embedded database a file in the data directory.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createPrivateFile, readIfExists } from '../lib/files.ts';
import { KEY_BYTES, parseKeys } from '../lib/keyring.ts';

/** In the data directory. It belongs to every backup of the database. */
export const SECRETS_FILE = 'secrets.key';

export type SecretsPlace = Pick<Config, 'secretsKey' | 'databaseUrl' | 'dataDirectory'>;

/** The keys as text; null: there are none. Throws if the file cannot be read or is damaged. */
export async function findSecretsKey({
  secretsKey,
  databaseUrl,
  dataDirectory,
}: SecretsPlace): Promise<string | null> {
  if (secretsKey !== null || databaseUrl !== null) return secretsKey;
  const file = join(dataDirectory, SECRETS_FILE);
  const text = (await readIfExists(file)) ?? null;
  try {
    if (text !== null) parseKeys(text);
    return text;
  } catch (cause) {
    throw new Error(`${file} is damaged: restore it from a backup. Secrets of webhooks are sealed with it.`, {
      cause,
    });
  }
}

/** The same; with the embedded database the first start creates the file. */
export async function ensureSecretsKey(place: SecretsPlace): Promise<string | null> {
  const found = await findSecretsKey(place);
  if (found !== null || place.databaseUrl !== null) return found;
  const key = `${randomBytes(KEY_BYTES).toString('base64')}\n`;
  if (await createPrivateFile(join(place.dataDirectory, SECRETS_FILE), key)) return key;
  return findSecretsKey(place);
}
