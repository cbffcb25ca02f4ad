// Reader of a file of sources, with what its maps, variables and files hold.

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseMap } from '../../import/mapping/map.ts';
import type { PushSettings, ResoSettings } from './registry-store.ts';
import { resoCredentials, resoSettingsOf } from './reso-settings.ts';
import { describePlace, readSecret, type Variables } from './secrets.ts';
import { type FileSource, isPush, type PushSource, type SecretPlace } from './source-schema.ts';
import { parseSourcesFile, SourcesFileError } from './source-settings.ts';
import { isToken } from './source-token.ts';

/** A source with everything that its files hold, ready to be written. */
export interface ReadySource {
  readonly source: FileSource;
  readonly settings: PushSettings | ResoSettings;
  /** That programs push with; null: commands make its tokens, or nobody pushes to it. */
  readonly token: string | null;
}

export interface ApplyOptions {
  readonly file: string;
  readonly variables: Variables;
  /** `file`: the file of the service, which then alone may change its sources; `command`: as if created one by one. */
  readonly setBy: 'file' | 'command';
}

/** The sources of a file. Throws SourcesFileError with every fault. */
export async function readSources({ file, variables, setBy }: ApplyOptions): Promise<ReadySource[]> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new SourcesFileError(file, [`it cannot be read: ${cause.message}`]);
  });
  const folder = dirname(file);
  const faults: string[] = [];
  const ready: ReadySource[] = [];
  for (const source of parseSourcesFile(file, text)) {
    try {
      ready.push(
        isPush(source)
          ? {
              source,
              settings: await settingsOf(source, folder),
              token: await readToken(source.secrets?.token, folder, variables),
            }
          : { source, settings: await readResoSettings(source, folder, variables, setBy), token: null },
      );
    } catch (error) {
      faults.push(`${source.id}: ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new SourcesFileError(file, faults);
  return ready;
}

/** The environment of a command need not be that of the service, which reads the source. */
async function readResoSettings(
  source: Exclude<FileSource, PushSource>,
  folder: string,
  variables: Variables,
  setBy: 'file' | 'command',
): Promise<ResoSettings> {
  const settings = resoSettingsOf(source, folder);
  if (setBy === 'file') await resoCredentials(settings, variables);
  return settings;
}

/** Throws a sentence where a map is faulty or of another source. */
export async function settingsOf(
  { id, currency, timeZone, displayDefault, media, licence, map, secrets }: PushSource,
  folder: string,
): Promise<PushSettings> {
  return {
    ...(currency !== undefined && { currency }),
    ...(timeZone !== undefined && { timeZone }),
    ...(displayDefault !== undefined && { displayDefault }),
    ...(media !== undefined && { media }),
    ...(licence !== undefined && { licence }),
    ...(map !== undefined && { map: await readMapText(resolve(folder, map), id) }),
    ...(secrets !== undefined && { secrets }),
  };
}

async function readMapText(path: string, id: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the map file ${path} cannot be read: ${error.message}`);
  });
  const { kind, source } = parseMap(path, text);
  if (kind !== 'listings') throw new Error(`the map file ${path} is of ${kind}: give one of listings`);
  if (source.id !== id)
    throw new Error(`the map file ${path} is of the source ${source.id}: write ${id} there`);
  return text;
}

/** The token at a place; null: none is named. Messages never repeat it. */
async function readToken(
  place: SecretPlace | undefined,
  folder: string,
  variables: Variables,
): Promise<string | null> {
  if (place === undefined) return null;
  const token = await readSecret(place, 'token', folder, variables);
  if (!isToken(token))
    throw new Error(
      `${describePlace(place)} holds no token of a source: src_ and 43 random letters, digits, _ or - (32 bytes in base64url)`,
    );
  return token;
}
