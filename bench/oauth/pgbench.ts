// pgbench of the function that rotates a refresh token, prepared, called as the service calls it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseDatabaseUrl } from '../../src/postgres/client/connection-url.ts';
import type { Testbed } from '../testbed.ts';
import { CLIENT, REDIRECT_URI } from './peer.ts';

/** More rotations than one client of pgbench gets done in a load. */
const EACH = 2_000;
let base = 0;

/** Rotations in a second, by so many clients at once. Each rotates a token of its own every time. */
export async function benchRotation(testbed: Testbed, clients: number, seconds: number): Promise<number> {
  base += EACH;
  await seedRotations(testbed, clients);
  const { host, port, user, password = '', database } = parseDatabaseUrl(testbed.databaseUrl);
  const script = join(import.meta.dirname, 'rotation.sql');
  const where = ['-h', host, '-p', String(port), '-U', user, database];
  const load = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds)];
  const text = await run([...load, '-D', 'i=0', '-D', `base=${base}`, '-f', script, ...where], password);
  const [, done = '0'] = /transactions actually processed: (\d+)/.exec(text) ?? [];
  assert.equal(await countRotated(testbed), Number(done), 'each transaction of pgbench rotated a token');
  return Number(/tps = ([\d.]+)/.exec(text)?.[1] ?? Number.NaN);
}

async function seedRotations({ database }: Testbed, clients: number): Promise<void> {
  const [from, to] = [base + 1, base + EACH];
  await database.write(
    (sql) => sql`
      with made as (
        insert into oauth_grant (client_id, redirect_uri, scope, resources, tier, subscription, created_at, renewed_at,
          expires_at)
        select ${CLIENT}, ${REDIRECT_URI}, 'listings:read', array['http://127.0.0.1'], 'pro', 'sub_' || n, now(), now(),
          now() + interval '31 days'
        from generate_series(1, ${EACH}::int8) n returning id
      )
      insert into oauth_refresh_token (hash, grant_id, expires_at)
      select sha256(int8send(client * 1000000 + n)), first + n - ${from}::int8, now() + interval '30 days'
      from generate_series(0, ${clients - 1}::int8) client, generate_series(${from}::int8, ${to}::int8) n,
        (select min(id) as first from made) one`,
  );
}

async function countRotated({ database }: Testbed): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int from generate_series(0, 63) client cross join generate_series(${base + 1}::int8, ${base + EACH}::int8) n
      join oauth_refresh_token on hash = sha256(int8send(-(client * 1000000 + n)))`,
  );
  return row?.count ?? 0;
}

/** Inherits core 1, as PostgreSQL does. */
function run(given: readonly string[], password: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('pgbench', given, { env: { ...process.env, PGPASSWORD: password } });
    let [text, trouble] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      trouble += chunk.toString();
    });
    child.once('error', reject).once('close', (code) => {
      if (code === 0) resolve(text);
      else reject(new Error(`pgbench failed:\n${trouble}`));
    });
  });
}
