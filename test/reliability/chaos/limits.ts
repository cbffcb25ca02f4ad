// Long run of exhausted resources (connections, descriptors, answers of the database): an honest 503 in time, and no trace after.

import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { systemClock } from '../../../src/lib/clock.ts';
import type { PoolStatus } from '../../../src/postgres/client/pool.ts';
import { startChaosApp } from '../../support/chaos/app.ts';
import { isReady, serve } from '../../support/chaos/service.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../../support/database/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database/database-proxy.ts';
import { runCommand } from '../../support/process/cli.ts';
import { quietPort } from '../../support/service/ports.ts';

/** Milliseconds: three seconds are promised, the rest is for a machine that runs other tests as well. */
const ANSWER_LIMIT = 4_000;
const RECOVERY_LIMIT = 5_000;
const ALL_CONNECTIONS = 60;

interface Timed {
  readonly status: number;
  readonly milliseconds: number;
  readonly honest: boolean;
}

async function timed(ask: () => Promise<Response>): Promise<Timed> {
  const begun = systemClock.monotonic();
  const answer = await ask();
  const { code } = (await answer.json()) as { code?: string };
  const milliseconds = systemClock.monotonic() - begun;
  const away = code === 'DATABASE_UNAVAILABLE' || code === 'SUBSCRIPTIONS_UNAVAILABLE';
  const retry = Number(answer.headers.get('retry-after')) > 0;
  return { status: answer.status, milliseconds, honest: answer.status === 200 || (away && retry) };
}

let searches = 0;
/** A search that was never made before: a cached one would be answered without the database. */
const newSearch = (): string => `/v1/search/sales?limit=1&q=home&facets=city&minPrice=${++searches}`;

const isIdle = ({ busy, waiting }: PoolStatus): boolean => busy === 0 && waiting === 0;

const slowest = (answers: readonly Timed[]) => Math.max(...answers.map(({ milliseconds }) => milliseconds));

/** Milliseconds until the condition holds. */
async function measured(what: string, condition: () => Promise<boolean>): Promise<number> {
  const begun = systemClock.monotonic();
  await until(what, condition);
  return systemClock.monotonic() - begun;
}

test('connections that hang are 503 within three seconds for all who wait, and no connection is lost by it', async (t) => {
  let proxy: DatabaseProxy | undefined;
  const through = async (url: string) => {
    proxy = await startDatabaseProxy(t, url);
    return proxy.url;
  };
  const app = await startChaosApp(t, { source: 'none', through });
  assert.ok(proxy !== undefined);
  const search = () => app.get('/v1/search/sales?limit=1', app.keys.internal);
  assert.equal((await timed(search)).status, 200);
  for (let round = 1; round <= 2; round++) {
    proxy.mode = 'hang';
    const answers = await Promise.all(Array.from({ length: 40 }, () => timed(search)));
    assert.ok(answers.every(({ status, honest }) => status === 503 && honest));
    assert.ok(slowest(answers) < ANSWER_LIMIT, `${slowest(answers)} ms`);
    assert.equal(await isReady(app.url), false);
    proxy.mode = 'pass';
    const took = await measured('searches are answered', async () => (await timed(search)).status === 200);
    const ready = await measured('the service is ready', () => isReady(app.url));
    t.diagnostic(
      `503 after ${Math.round(slowest(answers))} ms, well again after ${Math.round(took + ready)} ms`,
    );
    assert.ok(took + ready < RECOVERY_LIMIT);
    await until('every connection is given back', async () => isIdle(app.database.status()));
  }
  const all = await Promise.all(Array.from({ length: 40 }, () => timed(search)));
  assert.ok(all.every(({ status }) => status === 200));
});

test('a server whose connections others hold costs 503 at most, and all is well once they let go', async (t) => {
  const app = await startChaosApp(t, { source: 'none' });
  const search = () => app.get(newSearch(), app.keys.internal);
  assert.equal((await timed(search)).status, 200);
  const held = Array.from({ length: ALL_CONNECTIONS }, () => app.database.dedicated());
  atEnd(t, async () => {
    for (const connection of held) connection.destroy();
  });
  const outcomes = await Promise.allSettled(held.map(({ sql }) => sql`select 1`));
  assert.ok(
    outcomes.some(({ status }) => status === 'rejected'),
    'the server has connections left',
  );
  const answers = await Promise.all(Array.from({ length: 40 }, () => timed(search)));
  assert.ok(answers.every(({ honest }) => honest));
  assert.ok(answers.some(({ status }) => status === 503));
  assert.ok(slowest(answers) < ANSWER_LIMIT, `${slowest(answers)} ms`);
  for (const connection of held) connection.destroy();
  const took = await measured('searches are answered', async () => {
    const again = await Promise.all(Array.from({ length: 20 }, () => timed(search)));
    return again.every(({ status }) => status === 200);
  });
  t.diagnostic(`503 after ${Math.round(slowest(answers))} ms, well again after ${Math.round(took)} ms`);
  assert.ok(took < RECOVERY_LIMIT);
});

/** GET over a connection of the agent's. */
function get(agent: Agent, url: string, key?: string): Promise<Response> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return new Promise((resolve, reject) => {
    request(url, { agent, headers }, async (answer) => {
      const { statusCode = 0, headers: sent } = answer;
      const after = sent['retry-after'];
      const body = await text(answer);
      resolve(
        new Response(body, {
          status: statusCode,
          headers: after === undefined ? {} : { 'retry-after': after },
        }),
      );
    })
      .on('error', reject)
      .end();
  });
}

async function createKey(folder: string, environment: Record<string, string>): Promise<string> {
  const { stdout } = await runCommand(['subscriptions', 'create', '--plan', 'internal', '--json'], {
    folder,
    environment,
  });
  return (JSON.parse(stdout) as { key: string }).key;
}

/** Connections that say nothing, until the process has no descriptor left for more. */
async function flood(t: Closing, port: number, count: number): Promise<() => void> {
  const sockets: Socket[] = [];
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  atEnd(t, async () => end());
  for (let number = 0; number < count; number++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await new Promise<void>((resolve) => {
      socket.once('connect', () => resolve()).once('close', () => resolve());
    });
  }
  return end;
}

test('a process without a descriptor left answers 503 in time to those it has accepted, and is well soon after', async (t) => {
  const { url: databaseUrl } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'descriptors');
  const dataDirectory = join(folder, 'data');
  const port = await quietPort();
  const url = `http://127.0.0.1:${port}`;
  // The bound of connections, which would keep descriptors free, is lifted.
  const unbounded = { MAX_CONNECTIONS: '1000', MAX_CONNECTIONS_PER_ADDRESS: '1000' };
  const environment = { DATABASE_URL: databaseUrl, ...unbounded };
  const service = serve(t, { dataDirectory, port, environment, descriptors: 64 });
  await until('the service is ready', () => isReady(url));
  const key = await createKey(folder, environment);
  const agent = new Agent({ keepAlive: true, maxSockets: 12 });
  atEnd(t, async () => agent.destroy());
  // Accepted before: these connections cost nothing more, but the database's would.
  const alive = await Promise.all(Array.from({ length: 12 }, () => timed(() => get(agent, `${url}/livez`))));
  assert.ok(alive.every(({ status }) => status === 200));
  const end = await flood(t, port, 100);
  const search = () => get(agent, `${url}${newSearch()}`, key);
  const answers = await Promise.all(Array.from({ length: 24 }, () => timed(search)));
  assert.ok(
    answers.every(({ honest }) => honest),
    JSON.stringify(answers),
  );
  assert.ok(
    answers.some(({ status }) => status === 503),
    'descriptors were left',
  );
  assert.ok(slowest(answers) < ANSWER_LIMIT, `${slowest(answers)} ms`);
  end();
  const took = await measured('searches are answered', async () => {
    const again = await Promise.all(Array.from({ length: 24 }, () => timed(search)));
    return again.every(({ status }) => status === 200);
  });
  t.diagnostic(`503 after ${Math.round(slowest(answers))} ms, well again after ${Math.round(took)} ms`);
  assert.ok(took < RECOVERY_LIMIT);
  assert.ok(await isReady(url));
  service.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});
