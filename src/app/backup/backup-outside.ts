// What belongs to an installation and is in no backup of its database: settings, and the files that they name.

import { join } from 'node:path';
import { type Config, settingsInUse } from '../../config.ts';
import { statIfExists } from '../../lib/files.ts';
import { SECRETS_FILE } from '../secrets-key.ts';

export interface Outside {
  readonly settings: readonly string[];
  readonly files: readonly string[];
}

/** @param hasKeys whether the archive has the keys of secrets */
export async function describeOutside(
  { tiersFile, dataDirectory, backup, explorer }: Config,
  hasKeys = false,
): Promise<Outside> {
  const inDataDirectory = ['keys.env', ...(hasKeys ? [] : [SECRETS_FILE])].map((name) =>
    join(dataDirectory, name),
  );
  const named = [tiersFile, explorer.basemapFile, backup?.passphraseFile ?? null].filter(
    (file) => file !== null,
  );
  const files: string[] = [];
  for (const file of [...named, ...inDataDirectory])
    if ((await statIfExists(file)) !== undefined) files.push(file);
  return { settings: settingsInUse(), files };
}
