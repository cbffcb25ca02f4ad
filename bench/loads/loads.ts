// Loads: a file imported into a new database, and what that writes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/postgres/client/database.ts';
import { processorTime } from '../processor.ts';
import { startService } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { openEmptyTestbed, row } from './empty-testbed.ts';
import { writeLoadFile } from './file.ts';
import { bytesOfTables, serverProcessor, walPosition } from './store.ts';

const MEGABYTE = 2 ** 20;
const CLI = join(import.meta.dirname, '../../bin/freehold.js');

/** So many rows of CSV imported while the service runs, in a database of their own. */
export async function loadOfFile(rows: number): Promise<Row[]> {
  const testbed = await openEmptyTestbed();
  try {
    const { file, map } = await writeLoadFile(testbed.folder, rows);
    const { size } = await stat(file);
    const service = await startService(testbed, 'loads', {});
    const wal = await walPosition(testbed.database);
    const before = await serverProcessor(testbed.database);
    const load = loadavg()[0] ?? 0;
    const command = [CLI, 'import', 'listings', file, '--map', map, '--json'];
    const { seconds, resident, processor } = await run(command, { DATABASE_URL: testbed.databaseUrl });
    const server = (await serverProcessor(testbed.database)) - before;
    const written = (await walPosition(testbed.database)) - wal;
    await service.stop();
    const name = `Import of ${rows} rows of CSV (${(size / MEGABYTE).toFixed()} MB), the service running`;
    return [
      row(
        name,
        `${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows a second; processor: import ${processor.toFixed(1)} s, PostgreSQL ${(server / 1_000).toFixed(1)} s; ${(resident / MEGABYTE).toFixed()} MB resident at most; load average before ${load.toFixed(2)}`,
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

/** Runs a command of Freehold to its end, on all processors. */
async function run(command: readonly string[], environment: Record<string, string>) {
  const start = performance.now();
  const options = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [];
  const child = spawn('taskset', ['-c', '0,1', process.execPath, ...options, ...command], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let [resident, processor] = [0, 0];
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
    resident = Math.max(resident, Number(kilobytes) * 1024);
    processor = Math.max(processor, await processorTime(child.pid ?? 0).catch(() => 0));
  }, 500);
  const [code] = (await once(child, 'close')) as [number];
  clearInterval(timer);
  if (code !== 0) throw new Error(`The command ended with ${code}`);
  return { seconds: (performance.now() - start) / 1_000, resident, processor: processor / 1_000 };
}

if (import.meta.main) {
  const rows = await loadOfFile(Number(process.argv[2] ?? 200_000));
  for (const { name, figure } of rows) process.stdout.write(`${name}: ${figure}\n`);
}
