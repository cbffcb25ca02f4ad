// Stage of crash rounds: one data directory, the service on it, and the load that never pauses.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../src/postgres/client/database.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { runCli } from '../process/cli.ts';
import { quietPort } from '../service/ports.ts';
import { type Ledger, newLedger, writeCity, writeOn } from './ledger.ts';
import { newReaders, type Readers, readOn } from './readers.ts';
import { databaseBeside, isReady, type ServiceProcess, serve } from './service.ts';

export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

export interface Stage {
  readonly url: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly database: Database;
  readonly ledger: Ledger;
  readonly readers: Readers;
  /** Whose requests the readers' are. */
  readonly account: string;
  /** Keys that a command said to have made. */
  readonly keys: IssuedKey[];
  service: ServiceProcess;
  /** Starts the service once more, without waiting for it. */
  start(): ServiceProcess;
  /** Makes a key as an operator does; undefined where the command says that it failed. */
  createKey(): Promise<IssuedKey | undefined>;
  /** Ends the load; the service runs on. */
  rest(): Promise<void>;
}

/** Milliseconds: a new cluster is made first, which takes a busy machine long. */
const FIRST_START = 120_000;
const WRITERS = 6;
const READERS = 3;
/** Numbers that no round reaches, so that nothing is refused for being too much. */
const TIERS = { pro: { minute: 1_000_000, month: 1_000_000_000 } };

/** Starts the service on a new data directory, and the load on it. */
export async function setStage(t: Closing): Promise<Stage> {
  const folder = await temporaryFolder(t, 'crashes');
  const dataDirectory = join(folder, 'data');
  const environment = { TIERS_FILE: join(folder, 'tiers.json') };
  await writeFile(environment.TIERS_FILE, JSON.stringify(TIERS));
  const port = await quietPort();
  const url = `http://127.0.0.1:${port}`;
  const start = () => serve(t, { dataDirectory, port, environment });
  const service = start();
  await until('the service is ready for the first time', () => isReady(url), FIRST_START);
  const database = await databaseBeside(dataDirectory);
  atEnd(t, () => database.close(1_000));
  await writeCity(database);
  const createKey = () => createKeyIn(t, folder, dataDirectory);
  const reader = await createKey();
  if (reader === undefined) throw new Error('No key could be made');
  const load = { ledger: newLedger(), readers: newReaders(reader.key) };
  const rest = putUnderLoad(url, database, load);
  atEnd(t, rest);
  const account = `sub:${reader.id}`;
  return {
    ...load,
    url,
    port,
    dataDirectory,
    database,
    account,
    keys: [reader],
    service,
    start,
    createKey,
    rest,
  };
}

function putUnderLoad(
  url: string,
  database: Database,
  { ledger, readers }: Pick<Stage, 'ledger' | 'readers'>,
): () => Promise<void> {
  const stopping = new AbortController();
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    writeOn(`writer${index}`, database, ledger, stopping.signal),
  );
  const reading = Array.from({ length: READERS }, () => readOn(url, readers, stopping.signal));
  return async () => {
    stopping.abort();
    await Promise.all([...writers, ...reading]);
  };
}

async function createKeyIn(
  t: Closing,
  folder: string,
  dataDirectory: string,
): Promise<IssuedKey | undefined> {
  const args = ['subscriptions', 'create', '--plan', 'pro', '--json'];
  const { code, stdout } = await runCli(t, args, { folder, environment: { DATA_DIR: dataDirectory } });
  return code === 0 ? (JSON.parse(stdout) as IssuedKey) : undefined;
}
