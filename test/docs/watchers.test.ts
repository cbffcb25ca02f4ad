// Proves that the commands of docs/watchers.md work as they stand, and that its tables are those of the code.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TIERS, tierName } from '../../src/access/tiers/tiers.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { EVENT_TYPES } from '../../src/watch/events/event-types.ts';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks, writeKeys } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/watchers.md').text;
const INTERVALS = new Map([
  [null, 'never'],
  [6 * HOUR, '6 hours'],
  [HOUR, '1 hour'],
  [15 * MINUTE, '15 minutes'],
] as const);
const [FIRST_MINUTES = '', REST = ''] = PAGE.split('## Reading events');
const [READING = ''] = REST.split('## Webhooks');

test('whoever follows docs/watchers.md creates a watcher, reads it and its events, changes it and deletes it', async (t) => {
  const service = await startService(t, { source: 'sample' });
  const folder = await temporaryFolder(t, 'watchers');
  await writeKeys(folder, service.keys);
  const [created = '', read = '', events = '', changed = ''] = await follow(
    shellBlocks(FIRST_MINUTES),
    folder,
    service.url,
  );
  const id = created.trim();
  assert.match(id, /^wat_[0-9a-f]{24}$/);
  assert.ok(read.includes(`"id":"${id}"`) && read.includes('"interpretation":{'));
  assert.match(read, /"object":"list","data":\[\{"id":"lst_/);
  assert.match(events, /"object":"list"/);
  assert.match(changed, /listing\.price_decreased.*"status":"paused".*"status":"active"/s);
  const gone = await service.get(`/v1/watchers/${id}`, service.keys.pro);
  assert.equal(gone.status, 404);
});

test('whoever reads a feed as docs/watchers.md shows, breaks off and comes back, has every event once and in order', async (t) => {
  const service = await startService(t, { source: 'sample', environment: { SAMPLE_INTERVAL: '60' } });
  const folder = await temporaryFolder(t, 'feed');
  await writeKeys(folder, service.keys);
  const reader = follow(shellBlocks(READING), folder, service.url);
  let isReading = true;
  void reader.catch(() => {}).finally(() => (isReading = false));
  while (isReading) {
    await service.control('POST', '/control/advance', { steps: 1 });
    // Not far ahead of the real one, by which curl waits: requests would pass their deadlines.
    service.clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await reader;
  const feed = await readFile(join(folder, 'feed.txt'), 'utf8');
  const read = [...feed.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as { id: string; watcherId: string },
  );
  const [{ watcherId } = assert.fail('an event was read')] = read;
  const kept: { id: string }[] = [];
  for (let after = ''; kept.length < read.length; ) {
    const page: { data: { id: string }[]; page: { nextCursor: string } } = await service.json(
      `/v1/watchers/${watcherId}/events?limit=100${after}`,
      service.keys.pro,
    );
    if (page.data.length === 0) break;
    kept.push(...page.data);
    after = `&after=${page.page.nextCursor}`;
  }
  assert.ok(read.length >= 6);
  assert.deepEqual(
    read.map(({ id }) => id),
    kept.slice(0, read.length).map(({ id }) => id),
  );
});

test('the tables of docs/watchers.md name every event type with its targets, and the numbers of every tier', () => {
  for (const [type, { targets, cause }] of Object.entries(EVENT_TYPES)) {
    const who = targets.length === 3 ? 'all' : targets.length === 0 ? 'always sent' : targets.join(', ');
    assert.ok(PAGE.includes(`| \`${type}\` | ${who} | ${cause} |`), type);
  }
  const figure = (value: number | null) => (value === null ? 'unlimited' : value.toLocaleString('en-US'));
  for (const [tier, { watchers, cadence, feeds, events, refresh }] of Object.entries(TIERS)) {
    if (tier === 'anonymous') continue;
    const numbers = [figure(watchers), cadence, figure(feeds), figure(events)];
    assert.ok(PAGE.includes(`| ${tierName(tier as never)} | ${numbers.join(' | ')} |`), tier);
    assert.ok(PAGE.includes(`| ${tierName(tier as never)} | ${INTERVALS.get(refresh)} |`), `${tier} refresh`);
  }
});
