// Set-up of sources by commands and by the file of sources, each within what the other has set.

import { writeTerms } from '../../licence/licence-store.ts';
import { type Terms, termsBeside } from '../../licence/terms/terms.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { type ApplyOptions, type ReadySource, readSources } from './read-sources-file.ts';
import {
  deleteTokens,
  disableOthersOfFile,
  findRegistered,
  hasListings,
  insertToken,
  isBeingRemoved,
  listTokens,
  lockRegistered,
  lockSetUp,
  type PushSettings,
  type RegisteredSource,
  type ResoSettings,
  type TokenRow,
  writeRegistered,
} from './registry-store.ts';
import { profileOf } from './reso-settings.ts';
import { type FileSource, isPush, type PushSource } from './source-schema.ts';
import { SourcesFileError } from './source-settings.ts';
import { newToken, tokenHash, tokenId } from './source-token.ts';

/** Something about a source cannot be changed here. The message is a sentence for the operator. */
export class SetUpRefused extends Error {
  override readonly name = 'SetUpRefused';
}

/** One for the sender that runs, one for the sender that takes over. */
const MAX_TOKENS = 2;

export interface Applied {
  readonly applied: readonly string[];
  /** Those that the file of the service no longer has. */
  readonly disabled: readonly string[];
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
  const { id, name, kind = 'reso' } = source;
  const known = await lockRegistered(tx, id);
  if (setBy === 'command') requireChangeable(known, id);
  await requireStaying(tx, id);
  await requireKind(tx, known, id, kind);
  await writeRegistered(tx, { id, name, kind, settings, setBy }, now);
  await writeTerms(tx, id, termsOf(source, settings), now);
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

/** What programs push is the operator's own, unless they state otherwise. */
const termsOf = (source: FileSource, settings: ReadySource['settings']): Terms | null =>
  isPush(source) ? termsBeside(source.licence) : profileOf(settings as ResoSettings).licence;

/** Creates a source that the service reads. Throws SetUpRefused. */
export async function createResoSource(
  database: Database,
  { id, name }: Pick<FileSource, 'id' | 'name'>,
  settings: ResoSettings,
): Promise<void> {
  const now = new Date(database.clock.now());
  await database.transaction(async (tx) => {
    const known = await lockRegistered(tx, id);
    requireChangeable(known, id);
    if (known?.enabled)
      throw new SetUpRefused(
        `There is a source ${id} already: \`freehold sources apply FILE\` changes how it is set up.`,
      );
    await requireStaying(tx, id);
    await requireKind(tx, known, id, 'reso');
    await writeRegistered(tx, { id, name, kind: 'reso', settings, setBy: 'command' }, now);
    await writeTerms(tx, id, profileOf(settings).licence, now);
  });
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
    await writeTerms(tx, id, termsBeside(source.licence), now);
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

/** What is read and what is pushed or imported would overwrite each other. */
async function requireKind(
  tx: Transaction,
  known: RegisteredSource | null,
  id: string,
  kind: 'push' | 'reso',
): Promise<void> {
  const isOther = known !== null && (kind === 'reso' ? known.kind !== 'reso' : known.kind === 'reso');
  if (!isOther && (kind === 'push' || known !== null || !(await hasListings(tx, id)))) return;
  throw new SetUpRefused(
    `There are listings of a source ${id} that came in another way: \`freehold sources remove ${id}\` removes them, or choose another id.`,
  );
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
