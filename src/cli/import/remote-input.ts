// Files at URLs as the input of a command: fetched into a temporary folder, unless they are unchanged.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { importAccess } from '../../app/imports/import-access.ts';
import { readConfig, readVariables } from '../../config.ts';
import type { ImportMap } from '../../import/mapping/map.ts';
import { download } from '../../import/remote/download.ts';
import {
  digestOfRemote,
  type HeaderVariables,
  headersOf,
  parseHeaderVariables,
  parseRemote,
  type RemoteFile,
} from '../../import/remote/remote-file.ts';
import { findKnownFile, type KnownFile, noteKnownFile } from '../../import/remote/validator-store.ts';
import type { ImportResult } from '../../import/run.ts';
import { keepAlive, systemClock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { print } from '../output.ts';
import type { Input } from './import-map.ts';

export interface RemoteFlags {
  readonly headerFrom?: HeaderVariables;
}

export const addRemoteOptions = (command: Command): Command =>
  command.option(
    '--header-from <name=variable>',
    'send a header with a URL, whose value is in a variable of the environment (repeatable);\n' +
      'a variable alone is for Authorization',
    (text: string, before: HeaderVariables = {}) => collectHeader(text, before),
  );

function collectHeader(text: string, before: HeaderVariables): HeaderVariables {
  const texts = Object.entries(before).map(([name, variable]) => `${name}=${variable}`);
  try {
    return parseHeaderVariables([...texts, text]);
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}

/** Throws CommandFailure for headers that would be sent nowhere. */
export function refuseUselessHeaders(isRemote: boolean, { headerFrom }: RemoteFlags): void {
  if (!isRemote && headerFrom !== undefined)
    throw new CommandFailure('--header-from goes with a URL, and this is a file: leave it out.', EXIT.usage);
}

/**
 * Fetches a file and works with the copy, which is removed afterwards. Throws FileFault.
 * @param known what the database has of it, if that is known yet; with it, an unchanged file is not fetched
 * @param onUnchanged called in place of the work
 */
export async function withRemote(
  text: string,
  { headerFrom = {} }: RemoteFlags,
  signal: AbortSignal,
  work: (input: Input) => Promise<void>,
  known: (remote: RemoteFile) => Promise<KnownFile | null> = async () => null,
  onUnchanged: (remote: RemoteFile, known: KnownFile) => Promise<void> = async () => {},
): Promise<void> {
  const remote = parseRemote(text, headerFrom);
  const headers = headersOf(remote, readVariables());
  const folder = await mkdtemp(join(tmpdir(), 'freehold-input-'));
  const access = importAccess(readConfig(), systemClock);
  try {
    const path = join(folder, remote.name);
    const before = await known(remote);
    const options = { access, clock: systemClock, remote, headers, known: before, path, signal };
    const fetched = await keepAlive(() => download(options)).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (fetched === null) process.exitCode = EXIT.interrupted;
    else if (fetched.state === 'fetched')
      await work({ path, name: remote.name, remote: { file: remote, validators: fetched.validators } });
    else if (before !== null) await onUnchanged(remote, before);
    else throw new CommandFailure(`${remote.shown} says that it is unchanged, though nobody asked.`);
  } finally {
    await access.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The digest of a URL that is imported with this map and this action. */
const digestOf = (remote: RemoteFile, missing: string | undefined): Buffer =>
  digestOfRemote(remote, missing ?? '');

/** What the database has of a URL by a map. */
export const findKnown = (
  database: Database,
  remote: RemoteFile,
  map: ImportMap,
  missing: string | undefined,
): Promise<KnownFile | null> =>
  database.read((sql) =>
    findKnownFile(sql, { kind: map.kind, source: map.source.id }, digestOf(remote, missing), map.digest),
  );

/** Notes what a URL answered, once its file is imported whole. */
export async function noteRemote(
  database: Database,
  { remote }: Input,
  map: ImportMap,
  missing: string | undefined,
  result: ImportResult,
): Promise<void> {
  // What was refused or interrupted is to be tried again, though the file is the same.
  if (remote === undefined || result.interrupted || (result.missing?.refused ?? null) !== null) return;
  const identity = { kind: map.kind, source: map.source.id };
  await database.write((sql) =>
    noteKnownFile(sql, identity, digestOf(remote.file, missing), remote.validators),
  );
}

export const unchangedText = ({ shown }: RemoteFile, { importedAt }: KnownFile): string =>
  `${shown} is unchanged since its import of ${importedAt}: nothing was written. --restart imports it again.`;

export function showUnchanged(remote: RemoteFile, known: KnownFile): void {
  print(process.stdout, unchangedText(remote, known));
}
