// Tests of what messages to the MCP endpoint count, and of the one quota that they share with requests to the API.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { assertEvery } from '../support/check/every.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { serving } from '../support/fuzz/canaries.ts';
import { callTool, type RpcResponse, send } from '../support/mcp/messages.ts';
import { call, signIn } from '../support/oauth/oauth.ts';
import { startCli } from '../support/process/cli.ts';
import { quietPort } from '../support/service/ports.ts';
import { startService } from '../support/service/service.ts';

test('calls and reads count for the minute and the month, all other messages for the minute alone', async () => {
  const service = await startService({ after });
  const credential = service.keys.pro;
  const left = async () => {
    const { body } = await call(service, credential);
    const { minute, month } = body as Record<'minute' | 'month', { remaining: number }>;
    return { minute: minute.remaining, month: month.remaining };
  };
  /** What a message took, beside what it costs to ask. */
  async function cost(
    answered: () => Promise<RpcResponse>,
  ): Promise<readonly [minute: number, month: number]> {
    const before = await left();
    const { status, text } = await answered();
    assert.ok([200, 202].includes(status), text);
    const now = await left();
    return [before.minute - now.minute - 1, before.month - now.month];
  }
  const ref = { type: 'ref/resource', uri: 'area://{id}' };
  for (const [method, params] of [
    ['server/discover', {}],
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['prompts/get', { name: 'watch_area', arguments: { area: 'Aldern' } }],
    ['completion/complete', { ref, argument: { name: 'id', value: 'A' } }],
  ] as const)
    assert.deepEqual(await cost(() => send(service, method, params, { credential })), [1, 0], method);
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  };
  const era = 'initialize';
  assert.deepEqual(await cost(() => send(service, 'initialize', initialize, { era, credential })), [1, 0]);
  const search = () => callTool(service, 'search_sales', {}, { credential });
  assert.deepEqual(await cost(search), [1, 1]);
  assert.deepEqual(await cost(() => callTool(service, 'search_sales', { x: 1 }, { credential })), [1, 1]);
  assert.deepEqual(await cost(() => callTool(service, 'get_usage', {}, { credential })), [1, 0]);
  const uri = 'listing://none';
  assert.deepEqual(await cost(() => send(service, 'resources/read', { uri }, { credential })), [1, 1]);
  const { headers } = await search();
  assert.match(headers.get('ratelimit') ?? '', /"minute";r=\d+;t=\d+, "month";r=\d+/);
});

const MONTH = 500;

/** Spends until the month is over; gives how many requests were admitted, at most one more than there may be. */
async function spend(request: () => Promise<boolean>): Promise<number> {
  let admitted = 0;
  while (admitted <= MONTH && (await request())) admitted++;
  return admitted;
}

test('R35: key and token, API and MCP endpoint spend one month on two processes at once, and never more than it has', async (t) => {
  const { database, url: databaseUrl } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'quota');
  const tiers = join(folder, 'tiers.json');
  await writeFile(tiers, JSON.stringify({ pro: { minute: null, month: MONTH } }));
  const { key, id } = await createLocalSubscriptions(database, systemClock).create({ plan: 'pro' });
  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    TIERS_FILE: tiers,
    SOURCE: 'none',
    PUBLIC_URL: 'http://127.0.0.1:8080',
  };
  const places = await Promise.all(
    [1, 2].map(async () => {
      const PORT = String(await quietPort());
      await serving(startCli(t, ['serve'], { folder, environment: { ...environment, PORT } }));
      return { url: `http://127.0.0.1:${PORT}` };
    }),
  );
  const [first = assert.fail('two processes run')] = places;
  const { accessToken } = await signIn(first, { key });
  // Costs nothing of the month, and lets both begin alike: the first message loads what serves it.
  for (const place of places)
    assert.equal((await send(place, 'tools/list', {}, { credential: key })).status, 200);
  const spenders = places.flatMap((place) =>
    [key, accessToken].flatMap((credential) => [
      async () => {
        const { status, code } = await call(place, credential, '/v1/areas?limit=1');
        if (status !== 200) assert.equal(code, 'QUOTA_EXCEEDED');
        return status === 200;
      },
      async () => {
        const { result, code, text } = await callTool(place, 'find_areas', {}, { credential });
        if (result?.isError === true) assert.equal(code, 'QUOTA_EXCEEDED', text);
        else assert.ok(result, text);
        return result.isError !== true;
      },
    ]),
  );
  const admitted = await Promise.all(spenders.map(spend));
  assert.equal(
    admitted.reduce((sum, count) => sum + count, 0),
    MONTH,
  );
  assertEvery(admitted, (count) => count > 0, 'all of them took part');
  const [row] = await database.read(
    (sql) => sql<{ used: number }[]>`select used from monthly_usage where account = ${`sub:${id}`}`,
  );
  assert.equal(row?.used, MONTH);
});
