// Loads: a file imported and a feed read into a new database, and what that writes, against COPY of the same rows.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketUrl } from '../../src/postgres/client/connection-url.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import { startService, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { writeLoadFile } from './file.ts';
import { bytesOfTables, walPosition } from './store.ts';

const MEGABYTE = 2 ** 20;
const CLI = join(import.meta.dirname, '../../bin/freehold.js');

/** A database as a service finds it that starts for the first time, durable. */
async function openEmptyTestbed(): Promise<Testbed> {
  const folder = await mkdtemp(join(process.env.BENCH_FOLDER ?? tmpdir(), 'freehold-loads-'));
  const server = await startEmbedded({ dataDirectory: folder, log: () => {} });
  const database = openDatabase({ socket: server.connection, timeout: 0 });
  await migrate(database);
  return {
    database,
    databaseUrl: socketUrl(server.connection),
    folder,
    key: '',
    ids: [],
    async close() {
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** So many rows of CSV imported while the service runs, in a database of their own. */
export async function loadOfFile(rows: number): Promise<Row[]> {
  const testbed = await openEmptyTestbed();
  try {
    const { file, map } = await writeLoadFile(testbed.folder, rows);
    const { size } = await stat(file);
    const service = await startService(testbed, 'loads', {});
    const wal = await walPosition(testbed.database);
    const load = loadavg()[0] ?? 0;
    const command = [CLI, 'import', 'listings', file, '--map', map, '--json'];
    const { seconds, resident } = await run(command, { DATABASE_URL: testbed.databaseUrl });
    const written = (await walPosition(testbed.database)) - wal;
    await service.stop();
    const name = `Import of ${rows} rows of CSV (${(size / MEGABYTE).toFixed()} MB), the service running`;
    return [
      row(
        name,
        `${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows a second; ${(resident / MEGABYTE).toFixed()} MB resident at most; load average before ${load.toFixed(2)}`,
      ),
      ...(await bytesRows(testbed.database, rows, written)),
    ];
  } finally {
    await testbed.close();
  }
}

async function bytesRows(database: Database, rows: number, wal: number): Promise<Row[]> {
  const tables = await bytesOfTables(database);
  const each = (bytes: number): string => `${Math.round(bytes / rows)} B a listing`;
  const whole = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    row('Write-ahead log', `${(wal / MEGABYTE).toFixed()} MB, ${each(wal)}`),
    row('All tables with their indexes', `${(whole / MEGABYTE).toFixed()} MB, ${each(whole)}`),
    ...tables
      .filter(({ bytes }) => bytes / rows >= 1)
      .map(({ name, bytes, heap, indexes }) =>
        row(
          `… ${name}`,
          `${each(bytes)}: rows ${Math.round(heap / rows)}${indexes.map(([index, size]) => `, ${index} ${Math.round(size / rows)}`).join('')}`,
        ),
      ),
  ];
}

const row = (name: string, figure: string): Row => ({ name, figure, floor: '', met: true });

/** Runs a command of Freehold to its end, on all processors. */
async function run(command: readonly string[], environment: Record<string, string>) {
  const start = performance.now();
  const options = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [];
  const child = spawn('taskset', ['-c', '0,1', process.execPath, ...options, ...command], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let resident = 0;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
    resident = Math.max(resident, Number(kilobytes) * 1024);
  }, 500);
  const [code] = (await once(child, 'close')) as [number];
  clearInterval(timer);
  if (code !== 0) throw new Error(`The command ended with ${code}`);
  return { seconds: (performance.now() - start) / 1_000, resident };
}

if (import.meta.main) {
  const rows = await loadOfFile(Number(process.argv[2] ?? 200_000));
  for (const { name, figure } of rows) process.stdout.write(`${name}: ${figure}\n`);
}
