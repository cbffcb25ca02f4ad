// Proves that the commands of docs/watchers.md work as they stand, and that its tables are those of the code.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIERS, tierName } from '../../src/access/tiers/tiers.ts';
import { EVENT_TYPES } from '../../src/watch/events/event-types.ts';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks, writeKeys } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/watchers.md').text;

test('whoever follows docs/watchers.md creates a watcher, reads it and its events, changes it and deletes it', async (t) => {
  const service = await startService(t, { source: 'sample' });
  const folder = await temporaryFolder(t, 'watchers');
  await writeKeys(folder, service.keys);
  const [created = '', read = '', events = '', changed = ''] = await follow(
    shellBlocks(PAGE),
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

test('the tables of docs/watchers.md name every event type with its targets, and the numbers of every tier', () => {
  for (const [type, { targets, cause }] of Object.entries(EVENT_TYPES)) {
    const who = targets.length === 3 ? 'all' : targets.length === 0 ? 'always sent' : targets.join(', ');
    assert.ok(PAGE.includes(`| \`${type}\` | ${who} | ${cause} |`), type);
  }
  const figure = (value: number | null) => (value === null ? 'unlimited' : value.toLocaleString('en-US'));
  for (const [tier, { watchers, cadence, feeds, events }] of Object.entries(TIERS)) {
    if (tier === 'anonymous') continue;
    const numbers = [figure(watchers), cadence, figure(feeds), figure(events)];
    assert.ok(PAGE.includes(`| ${tierName(tier as never)} | ${numbers.join(' | ')} |`), tier);
  }
});
