// Set-up of sources by commands and by the file of sources, each within what the other has set.

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseMap } from '../../import/mapping/map.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import {
  deleteTokens,
  disableOthersOfFile,
  findRegistered,
  insertToken,
  isBeingRemoved,
  listTokens,
  lockRegistered,
  lockSetUp,
  type PushSettings,
  type RegisteredSource,
  type TokenRow,
  writeRegistered,
} from './registry-store.ts';
import { type PushSource, parseSourcesFile, type SecretPlace, SourcesFileError } from './source-settings.ts';
import { isToken, newToken, tokenHash, tokenId } from './source-token.ts';

/** Something about a source cannot be changed here. The message is a sentence for the operator. */
export class SetUpRefused extends Error {
  override readonly name = 'SetUpRefused';
}

/** One for the sender that runs, one for the sender that takes over. */
const MAX_TOKENS = 2;

/** A source with everything that its files hold, ready to be written. */
interface ReadySource {
  readonly source: PushSource;
  readonly settings: PushSettings;
  /** Null: commands make its tokens. */
  readonly token: string | null;
}

export interface Applied {
  readonly applied: readonly string[];
  /** Those that the file of the service no longer has. */
  readonly disabled: readonly string[];
}

export interface ApplyOptions {
  readonly file: string;
  /** Values of environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** `file`: the file of the service, which then alone may change its sources; `command`: as if created one by one. */
  readonly setBy: 'file' | 'command';
}

/** Applies a file of sources, all of it or nothing. Throws SourcesFileError or SetUpRefused. */
export async function applySourcesFile(database: Database, options: ApplyOptions): Promise<Applied> {
  const { file, setBy } = options;
  const ready = await readSources(options);
  const now = new Date(database.clock.now());
  return database.transaction(async (tx) => {
    // Every process of a service applies the file when it starts.
    await lockSetUp(tx);
    for (const each of ready) await applySource(tx, each, { setBy, file, now });
    const ids = ready.map(({ source }) => source.id);
    const disabled = setBy === 'file' ? await disableOthersOfFile(tx, ids, now) : [];
    return { applied: ids, disabled };
  });
}

async function readSources({ file, variables }: ApplyOptions): Promise<ReadySource[]> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new SourcesFileError(file, [`it cannot be read: ${cause.message}`]);
  });
  const sources = parseSourcesFile(file, text);
  const faults: string[] = [];
  const ready: ReadySource[] = [];
  for (const source of sources) {
    try {
      ready.push({
        source,
        settings: await settingsOf(source, dirname(file)),
        token: await readSecret(source.secrets?.token, dirname(file), variables),
      });
    } catch (error) {
      faults.push(`${source.id}: ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new SourcesFileError(file, faults);
  return ready;
}

/** Throws a sentence where a map is faulty or of another source. */
export async function settingsOf(
  { id, currency, timeZone, displayDefault, map, secrets }: PushSource,
  folder: string,
): Promise<PushSettings> {
  return {
    ...(currency !== undefined && { currency }),
    ...(timeZone !== undefined && { timeZone }),
    ...(displayDefault !== undefined && { displayDefault }),
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

/** The secret at a place; null: none is named. Messages never repeat it. */
async function readSecret(
  place: SecretPlace | undefined,
  folder: string,
  variables: ApplyOptions['variables'],
): Promise<string | null> {
  if (place === undefined) return null;
  const isVariable = typeof place === 'string';
  const text = isVariable
    ? variables[place]
    : await readFile(resolve(folder, place.file), 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new Error(`the file of its token cannot be read: ${error.message}`);
      });
  const where = isVariable ? `the variable ${place}` : `the file ${place.file}`;
  const token = text?.trim() ?? '';
  if (token === '') throw new Error(`its token is missing: ${where} is not set, or empty`);
  if (!isToken(token))
    throw new Error(
      `${where} holds no token of a source: src_ and 43 random letters, digits, _ or - (32 bytes in base64url)`,
    );
  return token;
}

interface Place {
  readonly setBy: 'file' | 'command';
  readonly file: string;
  readonly now: Date;
}

async function applySource(
  tx: Transaction,
  { source, settings, token }: ReadySource,
  { setBy, file, now }: Place,
): Promise<void> {
  const { id, name, kind } = source;
  const known = await lockRegistered(tx, id);
  if (setBy === 'command') requireChangeable(known, id);
  await requireStaying(tx, id);
  await writeRegistered(tx, { id, name, kind, settings, setBy }, now);
  if (token === null) return;
  const hash = tokenHash(token);
  const own = tokenId(token);
  const present = await listTokens(tx, null);
  const elsewhere = present.find((each) => each.id === own && each.source !== id);
  if (elsewhere !== undefined)
    throw new SourcesFileError(file, [`${id}: its token is that of ${elsewhere.source}; each needs its own`]);
  const others = present.filter((each) => each.source === id && each.id !== own && each.setBy === 'file');
  // The token that the place held before ends with it.
  if (others.length > 0)
    await deleteTokens(
      tx,
      id,
      others.map((each) => each.id),
    );
  if (!present.some((each) => each.id === own))
    await insertToken(tx, { id: own, source: id, setBy: 'file', hash }, now);
}

/** Creates a source that programs push to, with its first token. Throws SetUpRefused. */
export async function createPushSource(
  database: Database,
  source: PushSource,
  settings: PushSettings,
): Promise<string> {
  const { id, name, kind } = source;
  const now = new Date(database.clock.now());
  return database.transaction(async (tx) => {
    const known = await lockRegistered(tx, id);
    requireChangeable(known, id);
    if (known?.kind === 'push' && known.enabled)
      throw new SetUpRefused(
        `There is a source ${id} already: \`freehold sources token ${id}\` makes a token.`,
      );
    await requireStaying(tx, id);
    await writeRegistered(tx, { id, name, kind, settings, setBy: 'command' }, now);
    return addToken(tx, id, now);
  });
}

/** A new token of a source, beside the one that it has. Throws SetUpRefused. */
export async function createToken(database: Database, id: string): Promise<string> {
  const now = new Date(database.clock.now());
  return database.transaction(async (tx) => {
    requireEnabled(await lockRegistered(tx, id), id);
    const tokens = await listTokens(tx, id);
    requireCommandTokens(tokens, id);
    if (tokens.length >= MAX_TOKENS)
      throw new SetUpRefused(
        `${id} has ${MAX_TOKENS} tokens already: \`freehold sources token ${id} --revoke old\` ends all but the newest.`,
      );
    return addToken(tx, id, now);
  });
}

/** Ends tokens of a source: all, or all but the newest. Returns how many. Throws SetUpRefused. */
export async function revokeTokens(database: Database, id: string, which: 'all' | 'old'): Promise<number> {
  return database.transaction(async (tx) => {
    if ((await lockRegistered(tx, id)) === null) throw noSource(id);
    const tokens = await listTokens(tx, id);
    requireCommandTokens(tokens, id);
    const ids = tokens.map((token) => token.id);
    return deleteTokens(tx, id, which === 'all' ? ids : ids.slice(0, -1));
  });
}

async function addToken(tx: Transaction, source: string, now: Date): Promise<string> {
  const token = newToken();
  await insertToken(tx, { id: tokenId(token), source, setBy: 'command', hash: tokenHash(token) }, now);
  return token;
}

/** Throws where commands may not remove the source. */
export async function requireCommandSource(database: Database, id: string): Promise<void> {
  requireNotOfFile(await database.read((sql) => findRegistered(sql, id)), id);
}

function requireNotOfFile(source: RegisteredSource | null, id: string): void {
  if (source?.setBy === 'file' && source.enabled)
    throw new SetUpRefused(`The source ${id} is set by file: change it in the file that SOURCES_FILE names.`);
}

function requireChangeable(source: RegisteredSource | null, id: string): void {
  requireNotOfFile(source, id);
  if (source?.setBy === 'settings')
    throw new SetUpRefused(`The source ${id} is set by the settings SOURCE and RESO_*: change it there.`);
}

async function requireStaying(tx: Transaction, id: string): Promise<void> {
  if (await isBeingRemoved(tx, id))
    throw new SetUpRefused(`The source ${id} is being removed: \`freehold sources remove ${id}\` ends that.`);
}

function requireEnabled(source: RegisteredSource | null, id: string): void {
  if (source === null) throw noSource(id);
  if (!source.enabled)
    throw new SetUpRefused(`The source ${id} is disabled: SOURCES_FILE no longer has it. Put it back there.`);
}

function requireCommandTokens(tokens: readonly TokenRow[], id: string): void {
  if (tokens.some(({ setBy }) => setBy === 'file'))
    throw new SetUpRefused(
      `The token of ${id} is set by file: change what its variable or file holds, and restart the service.`,
    );
}

const noSource = (id: string): SetUpRefused =>
  new SetUpRefused(
    `There is no source ${id}: \`freehold sources list\` shows them, \`freehold sources create ${id} --push\` makes one.`,
  );
