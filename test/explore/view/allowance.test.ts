// Who may look at the explorer, and how often: limits by the minute and the day, by an injected clock and over several processes.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { anonymous, EXPLORER, type Principal } from '../../../src/access/tiers/tiers.ts';
import { Allowance, type AllowanceOptions } from '../../../src/explore/allowance/allowance.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { Problem } from '../../../src/lib/problem.ts';
import { testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';

const { database } = await testDatabase({ after });
const NOON = Date.UTC(2026, 5, 1, 12);

function open(options: Partial<AllowanceOptions> = {}, clock = manualClock(NOON)) {
  const allowance = new Allowance({
    database,
    clock,
    metrics: createMetrics(),
    report: assert.ifError,
    audience: 'public',
    findOpenAudience: () => 'public',
    ...options,
  });
  return { allowance, clock };
}

const GRANT: Principal = {
  ...anonymous('192.0.2.200'),
  kind: 'token',
  tier: 'free',
  account: 'sub:a',
  subscription: 'a',
  owner: 'sub:a',
  grant: 'g1',
};

const codeOf = async (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );

test('an address looks as often in a minute as the row allows, and a network of it not more often', async () => {
  const { allowance, clock } = open();
  const look = (host: string) => codeOf(allowance.admit(anonymous(host), 'views'));
  for (let count = 0; count < EXPLORER.views; count++) assert.equal(await look(`2001:db8::${count}`), null);
  assert.equal(await look('2001:db8::ffff'), 'RATE_LIMITED');
  assert.equal(await look('2001:db9::1'), null);
  clock.advance(59_999);
  assert.equal(await look('2001:db8::1'), 'RATE_LIMITED');
  clock.advance(1);
  assert.equal(await look('2001:db8::1'), null);
  await allowance.close();
});

test('lists and single homes share a minute', async () => {
  const { allowance } = open();
  const caller = anonymous('192.0.2.1');
  for (let count = 0; count < EXPLORER.homes / 2; count++) {
    assert.equal(allowance.takeList(caller), null);
    assert.equal(await codeOf(allowance.admit(caller, 'homes')), null);
  }
  assert.equal(allowance.takeList(caller)?.code, 'RATE_LIMITED');
  assert.equal(await codeOf(allowance.admit(caller, 'homes')), 'RATE_LIMITED');
  assert.equal(await codeOf(allowance.admit(caller, 'views')), null);
  await allowance.close();
});

test('several processes together show no more in a day than it allows, and the next day begins at midnight', async () => {
  const clock = manualClock(NOON);
  const processes = [open({}, clock), open({}, clock), open({}, clock)].map((each) => each.allowance);
  const caller = anonymous('192.0.2.2');
  let shown = 0;
  for (let round = 0; round < 50; round++)
    for (const allowance of processes) if ((await allowance.takePins(caller, 200)) === null) shown += 200;
  // What is left over in each process is too little for one more view.
  assert.ok(shown <= EXPLORER.pinsADay && shown > EXPLORER.pinsADay - 3 * 200, `${shown} were shown`);
  clock.advance(DAY / 2 - 1);
  assert.equal((await processes[0]?.takePins(caller, 200))?.code, 'QUOTA_EXCEEDED');
  clock.advance(1);
  assert.equal(await processes[0]?.takePins(caller, 200), null);
  for (const allowance of processes) await allowance.close();
});

test('what a process leased and did not show is there for another once it has stopped', async () => {
  const clock = manualClock(NOON);
  const first = open({}, clock).allowance;
  const second = open({}, clock).allowance;
  const caller = anonymous('192.0.2.3');
  assert.equal(await first.takePins(caller, 1), null);
  await first.close();
  let shown = 1;
  while ((await second.takePins(caller, 1)) === null) shown++;
  assert.equal(shown, EXPLORER.pinsADay);
  await second.close();
});

test('a home too many in a day is refused with what leads on, for each grant by itself', async () => {
  const { allowance, clock } = open();
  const openAll = async (caller: Principal) => {
    for (let count = 0; count < EXPLORER.homesADay; count++) {
      clock.advance(1_001);
      assert.equal(await codeOf(allowance.admit(caller, 'homes')), null);
    }
    clock.advance(1_001);
  };
  const caller = anonymous('192.0.2.4');
  await openAll(caller);
  await assert.rejects(allowance.admit(caller, 'homes'), /Sign in to go on/);
  await openAll(GRANT);
  await assert.rejects(allowance.admit(GRANT, 'homes'), /Come back tomorrow/);
  assert.equal(await codeOf(allowance.admit({ ...GRANT, grant: 'g2' }, 'homes')), null);
  await allowance.close();
});

test('the homes of a day are those of all processes together, over HTTP; one that starts later knows of them, and the next day begins at midnight', async (t) => {
  const shared = await testDatabase(t);
  const clock = manualClock(NOON);
  const start = () =>
    startService(t, { clock, createDatabase: async () => shared, environment: { EXPLORER: 'public' } });
  const services = [await start(), await start()];
  // A home that is not there counts like any other: nobody finds out for nothing which are.
  const openHome = (url: string) => fetch(`${url}/explore/listing/lst_none`);
  const statuses = new Map<number, number>();
  for (let count = 0; count < EXPLORER.homesADay; count++) {
    clock.advance(1_001);
    const answer = await openHome(services[count % 2]?.url ?? '');
    await answer.arrayBuffer();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  assert.deepEqual([...statuses], [[404, EXPLORER.homesADay]]);
  clock.advance(1_001);
  for (const { url } of [...services, await start()]) {
    const answer = await openHome(url);
    assert.equal(answer.status, 429);
    assert.match(await answer.text(), /may open 300 homes in a day\. Sign in to go on/);
    const wait = Number(answer.headers.get('retry-after'));
    assert.equal(wait, Math.ceil((Date.UTC(2026, 5, 2) - clock.now()) / 1_000));
  }
  clock.advance(DAY / 2);
  for (const { url } of services) assert.equal((await openHome(url)).status, 404);
});

test('who may look is what the setting says, or fewer where licences open nothing to the others', async () => {
  const free: Principal = { ...GRANT, subscription: null, owner: 'grant:g1' };
  const answers = async (options: Partial<AllowanceOptions>) => {
    const { allowance } = open(options);
    const callers = [anonymous('192.0.2.5'), free, GRANT];
    const codes = await Promise.all(callers.map(async (each) => (await allowance.mayLook(each))?.code));
    await allowance.close();
    return codes;
  };
  const subscribers = ['MISSING_API_KEY', 'TIER_RESTRICTED', undefined];
  assert.deepEqual(await answers({ audience: 'public' }), [undefined, undefined, undefined]);
  assert.deepEqual(await answers({ audience: 'signed-in' }), ['MISSING_API_KEY', undefined, undefined]);
  assert.deepEqual(await answers({ audience: 'subscribers' }), subscribers);
  assert.deepEqual(await answers({ audience: 'off' }), ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
  const only = (audience: 'subscribers' | 'off') => ({ findOpenAudience: () => audience });
  assert.deepEqual(await answers({ audience: 'public', ...only('subscribers') }), subscribers);
  assert.deepEqual(await answers({ audience: 'signed-in', ...only('off') }), [
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
  ]);
});

test('a service whose market is for people who have signed in refuses others by a problem, and keeps them out of its page', async (t) => {
  const service = await startService(t, { environment: { EXPLORER: 'signed-in' } });
  for (const path of ['/explore/view', '/explore/facets', '/explore', '/explore/listing/lst_unknown']) {
    const response = await service.get(path);
    assert.equal(response.status, 401, path);
    assert.match(await response.text(), /people who have signed in/);
  }
  assert.equal((await service.get('/explore/view', service.keys.free)).status, 200);
});

test('only the embedder that is set may show pages of the explorer in a frame, and no other page; locked ones too', async (t) => {
  const embedder = 'https://www.example.com';
  const plain = await startService(t);
  const framed = await startService(t, { environment: { EXPLORER_EMBED: embedder } });
  const locked = await startService(t, {
    environment: { EXPLORER_EMBED: embedder, EXPLORER: 'signed-in' },
  });
  const ancestors = async ({ url }: { url: string }, path: string) => {
    const { headers } = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } });
    const [, sources] = /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy') ?? '') ?? [];
    return headers.get('x-frame-options') === null ? sources : `${sources}, by X-Frame-Options too`;
  };
  for (const path of [
    '/explore',
    '/explore/market',
    '/explore/market?areaId=none',
    '/explore/listing/lst_1',
  ]) {
    assert.equal(await ancestors(plain, path), "'none'", path);
    assert.equal(await ancestors(framed, path), embedder, path);
    assert.equal(await ancestors(locked, path), embedder, path);
  }
  for (const path of ['/', '/docs', '/billing', '/account', '/oauth/grants', '/oauth/authorize'])
    assert.match((await ancestors(framed, path)) ?? '', /^'none'/, path);
  for (const path of ['sign-in', 'callback', 'watching'])
    assert.match((await ancestors(framed, `/explore/${path}`)) ?? '', /^'none'/, path);
});

test('what signed-in people see of the explorer is theirs: not for shared caches, and not for search engines', async (t) => {
  const service = await startService(t, { source: 'sample' });
  const { data }: { data: { id: string }[] } = await service.json('/v1/search/sales?limit=1');
  const paths = ['/explore', '/explore/view', '/explore/facets', '/explore/market', '/explore/suggest?q=a'];
  for (const path of [
    ...paths,
    `/explore/listing/${data[0]?.id}`,
    '/explore/market/figures.csv?table=price',
  ]) {
    const headers = { accept: path.includes('csv') ? 'text/csv' : 'text/html, application/json' };
    const open = await service.get(path, undefined, headers);
    const own = await service.get(path, service.keys.pro, headers);
    assert.equal(own.status, 200, path);
    assert.match(own.headers.get('cache-control') ?? '', /^private, no-cache|^no-store/, path);
    assert.match(own.headers.get('vary') ?? '', /Authorization/i, path);
    const isPage = (own.headers.get('content-type') ?? '').includes('html');
    if (!isPage) continue;
    assert.match(await own.text(), /<meta name="robots" content="noindex/, path);
    assert.doesNotMatch(await open.text(), /<meta name="robots" content="noindex/, path);
  }
});

test('an explorer that is switched off has no page, and no page leads there', async (t) => {
  const service = await startService(t, { environment: { EXPLORER: 'off' } });
  for (const path of ['', '/view', '/market', '/sign-in', '/session', '/outlines', '/listing/lst_1'])
    assert.equal((await service.get(`/explore${path}`)).status, 404, path);
  for (const path of ['/', '/docs', '/account']) {
    const page = await fetch(`${service.url}${path}`, { headers: { accept: 'text/html' } });
    assert.doesNotMatch(await page.text(), /href="[^"]*\bexplore\b/, path);
  }
});
