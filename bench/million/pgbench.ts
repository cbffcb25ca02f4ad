// pgbench of searches: the service's statements for a query, sent straight to PostgreSQL, prepared.

import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDatabaseUrl } from '../../src/postgres/client/connection-url.ts';
import type { Testbed } from '../testbed.ts';
import { type Statement, sessionFor } from './driver.ts';

/** As many scripts as pgbench takes. */
const MOST = 120;

export interface Asked {
  readonly clients: number;
  readonly seconds: number;
  /** Questions a second, at random moments; absent: each client asks on and on. */
  readonly rate?: number;
}

/** Milliseconds that each question took; questions are lists of statements, drawn at random. */
export async function pgbench(
  testbed: Testbed,
  questions: readonly (readonly Statement[])[],
  { clients, seconds, rate }: Asked,
): Promise<number[]> {
  const folder = join(testbed.folder, 'pgbench');
  await mkdir(folder, { recursive: true });
  const values: string[] = [];
  const scripts: string[] = [];
  for (const [at, statements] of questions.slice(0, MOST).entries()) {
    const file = join(folder, `question-${at}.sql`);
    await writeFile(
      file,
      statements.map((statement, place) => scriptOf(statement, `v${at}_${place}_`, values)).join('\n'),
    );
    scripts.push('-f', file);
  }
  const { host, port, user, password = '', database } = parseDatabaseUrl(testbed.databaseUrl);
  const where = ['-h', host, '-p', String(port), '-U', user, database];
  const how = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds)];
  const log = ['-l', `--log-prefix=${join(folder, 'log')}`];
  const pace = rate === undefined ? [] : ['-R', Math.max(rate, 1).toFixed(3)];
  // All statements of a run in one session: planned each time where any of them is.
  const each = questions.flat().some(({ planned }) => planned === 'each');
  const given = [...how, ...pace, ...log, ...values.flatMap((value) => ['-D', value]), ...scripts, ...where];
  await run(given, { session: sessionFor(each ? 'each' : 'once'), password });
  const took = await timesIn(folder);
  await rm(folder, { recursive: true });
  return took;
}

/** The statement as pgbench reads it; its parameters become variables, and null is written out. */
function scriptOf({ text, parameters }: Statement, prefix: string, values: string[]): string {
  const named = text.replace(/\$(\d+)/g, (_, place: string) => {
    const value = parameters[Number(place) - 1] ?? null;
    return value === null ? 'null' : `:${prefix}${place}`;
  });
  for (const [at, value] of parameters.entries())
    if (value !== null) values.push(`${prefix}${at + 1}=${value}`);
  return `${named.trim()};`;
}

/** The third field of each line of its log: microseconds, from when the question was due. */
async function timesIn(folder: string): Promise<number[]> {
  const logs = (await readdir(folder)).filter((name) => name.startsWith('log'));
  const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => Number(line.split(' ')[2]) / 1000),
  );
}

interface Login {
  readonly session: Readonly<Record<string, string>>;
  readonly password: string;
}

function run(given: readonly string[], { session, password }: Login): Promise<void> {
  const settings = Object.entries(session).map(([name, value]) => `-c ${name}=${value.replace(' ', '\\ ')}`);
  const env = { ...process.env, PGOPTIONS: settings.join(' '), PGPASSWORD: password };
  return new Promise((resolve, reject) => {
    const child = spawn('pgbench', given, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let trouble = '';
    child.stderr.on('data', (chunk: Buffer) => {
      trouble += chunk.toString();
    });
    child.once('error', reject).once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`pgbench failed:\n${trouble.slice(-2_000)}`));
    });
  });
}
