// One run of a schedule: its file fetched, checked by the map that is stored with it, and imported.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { NetworkAccess } from '../../lib/network/network-access.ts';
import type { Database } from '../../postgres/client/database.ts';
import { FileFault } from '../formats/record.ts';
import { type ImportMap, parseMap } from '../mapping/map.ts';
import type { MissingAction } from '../missing.ts';
import { download } from '../remote/download.ts';
import {
  digestOfRemote,
  type HeaderVariables,
  headersOf,
  parseRemote,
  type Validators,
} from '../remote/remote-file.ts';
import { findKnownFile, noteKnownFile } from '../remote/validator-store.ts';
import { type ImportResult, runImport } from '../run.ts';

/** What a thread needs for one run; secrets are in memory only. */
export interface ScheduleTask {
  readonly url: string;
  readonly headers: HeaderVariables;
  /** Values of the variables that the headers name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Its text. */
  readonly map: string;
  readonly missing: MissingAction | null;
  /** Where rejected rows go. */
  readonly folder: string;
}

export interface ScheduleContext {
  readonly database: Database;
  readonly access: NetworkAccess;
  readonly mediaMode: NonNullable<ImportMap['media']>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Returns what it did, as a sentence. Throws an error with a sentence; then nothing has changed, or the message says what has. */
export async function runSchedule(context: ScheduleContext, task: ScheduleTask): Promise<string> {
  const { database, access, clock, signal } = context;
  const map = parseMap('of the schedule', task.map);
  const remote = parseRemote(task.url, task.headers);
  const headers = headersOf(remote, task.variables);
  const identity = { kind: map.kind, source: map.source.id };
  const urlDigest = digestOfRemote(remote, task.missing ?? '');
  const known = await database.read((sql) => findKnownFile(sql, identity, urlDigest, map.digest));
  const folder = await mkdtemp(join(tmpdir(), 'freehold-input-'));
  try {
    const path = join(folder, remote.name);
    const fetched = await download({ access, clock, remote, headers, known, path, signal });
    if (fetched.state === 'unchanged') return 'unchanged: nothing was fetched';
    const result = await importFile(context, task, map, path);
    await conclude(database, { identity, urlDigest, validators: fetched.validators, result });
    return resultSentence(result);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function importFile(
  { database, signal, mediaMode }: ScheduleContext,
  { missing, folder }: ScheduleTask,
  map: ImportMap,
  file: string,
): Promise<ImportResult> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new FileFault(
      `Rejected rows cannot be kept in ${folder}: ${error.message}. Make DATA_DIR writable.`,
    );
  });
  return runImport(database, {
    file,
    map: { media: mediaMode, ...map },
    mapFile: 'of the schedule',
    original: join(folder, `${map.source.id}-${map.kind}`),
    signal,
    ...(missing !== null && { missing: { action: missing, accept: false } }),
  });
}

interface Conclusion {
  readonly identity: Parameters<typeof noteKnownFile>[1];
  readonly urlDigest: Buffer;
  readonly validators: Validators;
  readonly result: ImportResult;
}

/** A file that gives nothing, or would end too much, is a failure, and is looked at again next time. */
async function conclude(
  database: Database,
  { identity, urlDigest, validators, result }: Conclusion,
): Promise<void> {
  const { rows, rejected, missing, report, rejectedFile } = result;
  if (result.interrupted && missing?.refused == null)
    throw new FileFault('The import was interrupted; it goes on from there.');
  if (missing?.refused != null)
    throw new FileFault(
      `The rows are imported, but nothing was ended. ${missing.refused} Look at the file, then import it once by hand with --missing and --accept.`,
    );
  if (rows === 0) throw new FileFault('The file has no rows: nothing has changed.');
  if (rejected === rows) {
    const [first] = report.causes;
    const why = first === undefined ? '' : ` (${[first.column, first.reason].filter(Boolean).join(' ')})`;
    throw new FileFault(
      `All ${rows} rows are rejected, so nothing has changed${why}; they are in ${rejectedFile}. If the file has another form now, make a new map, and the schedule again.`,
    );
  }
  await database.write((sql) => noteKnownFile(sql, identity, urlDigest, validators));
}

function resultSentence({
  rows,
  created,
  changed,
  unchanged,
  rejected,
  missing,
  rejectedFile,
}: ImportResult): string {
  const ended = missing === null || missing.ended === 0 ? '' : `, ${missing.ended} ended`;
  const refused = rejected === 0 ? '' : `, ${rejected} rejected (${rejectedFile})`;
  return `${rows === 1 ? '1 row' : `${rows} rows`}: ${created} created, ${changed} changed, ${unchanged} unchanged${ended}${refused}`;
}
