// Proves that nothing of the texts and people of lost listings stays in any table for a day, whoever ended them and in whatever order.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { startErasing } from '../../src/ingest/removal/erasing.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { removeSource } from '../../src/sources/removal.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { copyTables } from '../support/database/table-copy.ts';
import { createSender, record } from '../support/push/sender.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const HOUR = 3_600_000;
const service = await startService({ after });
const { database, clock } = service;
const catalogue = createCatalogue(database);

/** A draft in whose texts and people alone a word is found. */
const worded = (key: string, word: string) =>
  draft(key, {
    listPrice: 100_000,
    description: `A ${word} house`,
    photos: [
      {
        id: '1',
        url: `https://pictures.test/${word}.jpg`,
        thumbnailUrl: null,
        width: null,
        height: null,
        caption: word,
        category: null,
        order: 0,
      },
    ],
    agent: { id: `a-${word}`, name: word, phone: null, email: null },
    office: { id: `o-${word}`, name: word, phone: null, email: null },
    attribution: word,
    listingUrl: `https://homes.test/${word}`,
    reso: { PublicRemarks: word },
    raw: [{ resource: 'Property', record: { PublicRemarks: word } }],
  });

async function countErasures(): Promise<number> {
  const rows = await database.read((sql) => sql`select from listing_erasure`);
  return rows.length;
}

/** Lets a day pass, hour by hour, until what was lost is erased. */
async function passDay(): Promise<void> {
  for (let hour = 0; hour < 24 && (await countErasures()) > 0; hour += 1) {
    clock.advance(HOUR);
    for (let turn = 0; turn < 10; turn += 1) await database.read((sql) => sql`select 1`);
  }
  await until('all is erased', async () => (await countErasures()) === 0);
}

/** Lines of all tables in which a word is found, each with its table. */
async function found(word: string): Promise<string[]> {
  let table = '';
  return (await copyTables(database)).split('\n').flatMap((line) => {
    if (/^public\.\w+$/.test(line)) table = line;
    return line.includes(word) ? [`${table} ${line.slice(0, 200)}`] : [];
  });
}

const rawKeys = async (source: string): Promise<string[]> => {
  const rows = await database.read(
    (sql) => sql<{ key: string }[]>`select key from raw_record where source = ${source} order by key`,
  );
  return rows.map(({ key }) => key);
};

test('a pushed listing that is withdrawn keeps everything; one that ends as DELETED loses it, and is whole when it is put again', async () => {
  const crm = await createSender(service, 'crm');
  const pushed = (word: string, more = {}) =>
    record({ description: `A ${word} house`, agent: { name: word }, ...more });
  for (const key of ['kept', 'gone', 'sold'])
    assert.equal((await crm.put(key, pushed(`xq${key}`))).status, 201);
  await crm.send('DELETE', '/listings/kept');
  assert.equal((await crm.put('sold', pushed('xqsold', { status: 'CLOSED', closePrice: 5 }))).status, 200);
  assert.equal((await crm.send('DELETE', '/listings/sold')).status, 409);
  for (const key of ['gone', 'sold']) {
    const ended = await crm.send('DELETE', `/listings/${key}?status=DELETED`);
    assert.equal(ended.status, 200, ended.text);
    const { record: document, status } = (await crm.send('GET', `/listings/${key}`)).json;
    assert.deepEqual([document, status], [null, 'DELETED']);
  }
  await passDay();
  assert.ok((await found('xqkept')).length > 2);
  assert.deepEqual([...(await found('xqgone')), ...(await found('xqsold'))], []);
  const again = await crm.put('gone', pushed('xqgone'));
  assert.equal(again.json.result, 'changed', again.text);
  const shown = (await service.json(`/v1/listing/${again.json.id}/record`, service.keys.pro)) as Record<
    string,
    unknown
  >;
  assert.deepEqual(
    [shown.status, shown.description, (shown.agent as { name: string }).name],
    ['ACTIVE', 'A xqgone house', 'xqgone'],
  );
});

interface Step {
  readonly key: number;
  readonly does: 'shows' | 'misses' | 'deletes' | 'pass';
}

test('after any readings of a source, no word of a listing is left that it no longer shows, and all of those that it does', async () => {
  let run = 0;
  const steps = fc.array(
    fc.record<Step>({
      key: fc.nat(2),
      does: fc.constantFrom('shows', 'shows', 'misses', 'deletes', 'pass'),
    }),
    { minLength: 3, maxLength: 14 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      run += 1;
      const source = `model-${run}`;
      const shown = new Map<string, string>();
      const used = new Map<string, string[]>();
      for (const [at, { key: number, does }] of all.entries()) {
        const [key, word] = [`k${number}`, `zw${run}w${at}w`];
        clock.advance(60_000);
        if (does === 'pass') {
          clock.advance(7 * HOUR);
          continue;
        }
        const status = does === 'deletes' ? 'DELETED' : 'ACTIVE';
        const drafts = does === 'misses' ? [] : [{ ...worded(key, word), status } as const];
        await database.transaction((tx) =>
          catalogue.write(tx, source, drafts, clock.now(), does === 'misses' ? [key] : []),
        );
        if (does !== 'misses') used.set(key, [...(used.get(key) ?? []), word]);
        if (does === 'shows') shown.set(key, word);
        else shown.delete(key);
      }
      await passDay();
      const text = await copyTables(database);
      for (const [key, words] of used) {
        const current = shown.get(key);
        if (current !== undefined) assert.ok(text.includes(current), `${key} is shown`);
        else
          assert.deepEqual(
            words.filter((word) => text.includes(word)),
            [],
            `${key} is not shown`,
          );
      }
      assert.deepEqual(await rawKeys(source), [...shown.keys()].sort());
    }),
    { numRuns: 8 },
  );
});

test('what an earlier release kept of deleted listings is erased after the upgrade, and nobody is notified', async () => {
  const word = 'oldquux';
  const write = (deleted: readonly string[]) =>
    database.transaction((tx) =>
      catalogue.write(tx, 'old', deleted.length > 0 ? [] : [worded('a', word)], clock.now(), deleted),
    );
  await write([]);
  const [before] = await database.read(
    (sql) => sql`select record::text as text from listing where source = 'old'`,
  );
  await write(['a']);
  await database.transaction(async (tx) => {
    await tx`
      update listing set digest = '\\x00', record = (replace(${String(before?.text)}::text, '"ACTIVE"', '"DELETED"'))::json
      where source = 'old'`;
    await tx`insert into listing_reso select id, '\\x00', json_build_object('PublicRemarks', ${word}::text) from listing where source = 'old'`;
    await tx`update listing_search set agent_id = ${word} where provider_id = 'old'`;
    await tx`delete from listing_erasure`;
    await tx`update stored_review set reviewed_through = '', finished_at = null where name = 'lost'`;
  });
  assert.ok((await found(word)).some((line) => line.startsWith('public.listing_reso')));
  await until('it is reviewed', async () => {
    clock.advance(60_000);
    const [open] = await database.read((sql) => sql`select from stored_review where finished_at is null`);
    return open === undefined;
  });
  assert.deepEqual(
    (await found(word)).filter((line) => !line.startsWith('public.change')),
    [],
  );
  const [last] = await database.read(
    (sql) => sql`select quiet from change order by batch_id desc, ordinal desc limit 1`,
  );
  assert.equal(last?.quiet, true);
  await passDay();
  assert.deepEqual(await found(word), []);
});

test('a source that is removed leaves no word in the log of changes after a day', async () => {
  await database.transaction((tx) => catalogue.write(tx, 'left', [worded('a', 'leftquux')], clock.now()));
  await removeSource({ database, source: 'left' });
  assert.ok((await found('leftquux')).length > 0);
  await passDay();
  assert.deepEqual(await found('leftquux'), []);
});

test('words wait for watchers that are not matched yet, but never for a day', async (t) => {
  const own = await testDatabase(t);
  const time = manualClock();
  const write = (deleted: readonly string[]) =>
    own.database.transaction((tx) =>
      createCatalogue(own.database).write(
        tx,
        's',
        deleted.length > 0 ? [] : [worded('a', 'latequux')],
        time.now(),
        deleted,
      ),
    );
  await write([]);
  await write(['a']);
  let rounds = 0;
  const erasing = startErasing({
    database: own.database,
    clock: time,
    metrics: createMetrics(),
    report: (error) => assert.fail(String(error)),
    findMatched: async () => {
      rounds += 1;
      return 0;
    },
  });
  t.after(() => erasing.stop());
  const words = async () => (await copyTables(own.database)).includes('latequux');
  const pass = async (hours: number) => {
    time.advance(hours * HOUR);
    await until('the round has ended', () => time.waiting > 0);
  };
  await until('the first round has ended', () => time.waiting > 0);
  for (const hours of [11, 2, 8]) await pass(hours);
  assert.deepEqual([await words(), rounds], [true, 2]);
  await pass(2);
  assert.deepEqual([await words(), rounds], [false, 3]);
});
