// Proof of how events are written: once, with the position of the matching, within hourly limits.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DAY, HOUR } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { EventDraft } from '../../../src/watch/events/event.ts';
import { findPosition, movePosition, PositionMoved } from '../../../src/watch/events/position-store.ts';
import { createEventPartitions, dropOldEvents } from '../../../src/watch/events/retention-store.ts';
import { writeEvents } from '../../../src/watch/events/write-store.ts';
import { testDatabase } from '../../support/database/database.ts';

const { database } = await testDatabase({ after });
const NOON = Date.UTC(2026, 0, 5, 12);

const draft = (sequence: number, changes: Partial<EventDraft> = {}): EventDraft => ({
  sequence,
  watcherId: 'wat_a',
  type: 'search.match_added',
  ordinal: 0,
  owner: 'cus:ann',
  eventsPerHour: null,
  listingId: 'lst_a',
  matchedOn: ['maxPrice'],
  at: NOON,
  held: false,
  ...changes,
});

const nothing = { events: [], contents: [], withdrawals: [] };

async function count(from: Database, table: 'watch_event' | 'watch_event_content', owner = '') {
  const [row] = await from.read((sql) =>
    table === 'watch_event'
      ? sql<{ n: number }[]>`select count(*)::int as n from watch_event where owner = ${owner}`
      : sql<{ n: number }[]>`select count(*)::int as n from watch_event_content`,
  );
  return row?.n;
}

test('the position moves from where it was to the end of the batch, once, and from nowhere else', async () => {
  const move = (from: number, to: number) => database.transaction((tx) => movePosition(tx, from, to));
  assert.equal(await move(0, 5), true);
  assert.equal(await move(0, 5), false, 'the answer of the commit was lost');
  await assert.rejects(move(0, 6), PositionMoved);
  assert.equal(await database.read(findPosition), 5);
});

test('the same events written twice are there once', async () => {
  const events = [draft(2, { owner: 'twice' }), draft(3, { owner: 'twice' })];
  const contents = [2, 3].map((sequence) => ({
    sequence,
    listingId: 'lst_a',
    at: NOON,
    object: { id: 'lst_a' },
    previous: null,
    changedFields: [],
  }));
  for (let time = 0; time < 2; time++)
    await database.transaction((tx) => writeEvents(tx, { ...nothing, events, contents }));
  assert.equal(await count(database, 'watch_event', 'twice'), 2);
});

test('events above the hourly limit are counted, and told once an hour in the place of the first', async () => {
  const write = (from: number, at: number) =>
    database.transaction((tx) =>
      writeEvents(tx, {
        ...nothing,
        events: [0, 1, 2].map((i) => draft(from + i, { owner: 'capped', eventsPerHour: 4, at })),
      }),
    );
  await write(10, NOON);
  await write(20, NOON + 1);
  await write(30, NOON + 2);
  await write(40, NOON + HOUR);
  const rows = await database.read(
    (sql) => sql<{ sequence: number; type: string }[]>`
      select sequence, type from watch_event where owner = 'capped' order by sequence, type`,
  );
  assert.deepEqual(
    rows.map(({ sequence, type }) => `${sequence} ${type.split('.')[1]}`),
    [
      '10 match_added',
      '11 match_added',
      '12 match_added',
      '20 match_added',
      '21 throttled',
      '40 match_added',
      '41 match_added',
      '42 match_added',
    ],
  );
  const hours = await database.read(
    (sql) => sql`select events, dropped from watch_hour where owner = 'capped' order by hour`,
  );
  assert.deepEqual(
    hours.map(({ events, dropped }) => [events, dropped]),
    [
      [4, 5],
      [3, 0],
    ],
  );
});

test('each day has a partition of its own, made ahead and dropped after 30 days', async () => {
  const start = NOON + 100 * DAY;
  await createEventPartitions(database, start);
  await createEventPartitions(database, start);
  const days = [0, 1, 2, 3].map((ahead) => start + ahead * DAY);
  const events = days.map((at, i) => draft(100 + i, { owner: 'daily', at }));
  await database.transaction((tx) => writeEvents(tx, { ...nothing, events }));
  const partitions = async () => {
    const rows = await database.read(
      (sql) => sql<{ name: string }[]>`
        select distinct tableoid::regclass::text as name from watch_event where owner = 'daily' order by name`,
    );
    return rows.map(({ name }) => name);
  };
  const names = days.map(
    (at) => `watch_event_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`,
  );
  assert.deepEqual(await partitions(), names);
  await dropOldEvents(database, start + 32 * DAY);
  assert.deepEqual(await partitions(), names.slice(2));
  const [dropped] = await database.read(
    (sql) =>
      sql`select dropped_through as through, to_regclass(${names[0] ?? ''}) as first from watch_event_retention`,
  );
  assert.deepEqual({ ...dropped }, { through: 101, first: null });
});
