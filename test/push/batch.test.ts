// Proves over HTTP that a batch has one line for each record, that one that is rejected stops no other, and what a snapshot ends.

import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, test } from 'node:test';
import { PUSH } from '../../src/access/tiers/tiers.ts';
import { removeSource } from '../../src/sources/removal.ts';
import { until } from '../support/check/until.ts';
import { createSender, type Line, record } from '../support/push/sender.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const crm = await createSender(service, 'crm');

const outcomes = (lines: readonly Line[]) =>
  lines.map(({ key, result, problem }) => [key, problem?.code ?? result]);
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

test('JSON lines are answered line by line: a broken, a faulty and an oversized one stop no other', async () => {
  const lines = await crm.batch([
    record({ listingKey: 'l1' }),
    '{"listingKey": "l2", ',
    '',
    record({ listingKey: 'l3', status: 'ACTVE' }),
    record({ listingKey: 'l4', description: 'x'.repeat(PUSH.recordBytes) }),
    record({ listingKey: 'l5' }),
    '17',
    '{"listingKey":"a","listingKey":"b"}',
  ]);
  assert.deepEqual(outcomes(lines), [
    ['l1', 'created'],
    [null, 'INVALID_BODY'],
    ['l3', 'INVALID_BODY'],
    [null, 'PAYLOAD_TOO_LARGE'],
    ['l5', 'created'],
    [null, 'INVALID_BODY'],
    [null, 'INVALID_BODY'],
  ]);
  assert.deepEqual(
    lines.map(({ index }) => index),
    [0, 1, 2, 3, 4, 5, 6],
  );
  assert.equal(lines[2]?.problem?.errors?.[0]?.suggestion, 'ACTIVE');
  const kept = await crm.send('GET', '/listings/l3');
  assert.equal((kept.json as unknown as { faults: { pointer: string }[] }).faults[0]?.pointer, '/status');
});

test('a JSON array is read element by element, and what breaks it is the last line', async () => {
  const whole = await crm.send('POST', '/listings', [
    record({ listingKey: 'a1' }),
    5,
    record({ listingKey: 'a2' }),
  ]);
  assert.match(whole.headers.get('content-type') ?? '', /^application\/x-ndjson/);
  assert.deepEqual(outcomes(linesOf(whole.text)), [
    ['a1', 'created'],
    [null, 'INVALID_BODY'],
    ['a2', 'created'],
  ]);
  const text = JSON.stringify(record({ listingKey: 'a3' }));
  for (const broken of [`[${text}`, `[${text} ${text}]`, `[${text}] x`, `[${text},,${text}]`]) {
    const { text: answer } = await crm.send('POST', '/listings?dryRun=true', broken);
    assert.deepEqual(
      outcomes(linesOf(answer)),
      [
        ['a3', 'created'],
        [null, 'INVALID_BODY'],
      ],
      broken,
    );
  }
  for (const none of ['', '  ', '{}', '"x"']) {
    const { text: answer } = await crm.send('POST', '/listings', none);
    assert.deepEqual(outcomes(linesOf(answer)), [[null, 'INVALID_BODY']], none);
  }
  assert.equal((await crm.send('POST', '/listings', '[]')).text.trim(), '');
});

test('a key that comes twice is written twice, in order, and each change is in the log once', async () => {
  const lines = await crm.batch([
    record({ listingKey: 'd', listPrice: 100 }),
    record({ listingKey: 'd', listPrice: 200 }),
    record({ listingKey: 'd', listPrice: 200 }),
  ]);
  assert.deepEqual(
    lines.map(({ result, version }) => [result, version]),
    [
      ['created', 1],
      ['changed', 2],
      ['unchanged', 2],
    ],
  );
});

test('of a key that comes good and refused the last one counts, and late faults count for nothing', async () => {
  const good = record({ listingKey: 'g', sequence: 2 });
  const refused = { ...good, sequence: 3, status: 'NO' };
  const faults = async () =>
    ((await crm.send('GET', '/listings/g')).json.faults as unknown as { pointer: string }[]).map(
      ({ pointer }) => pointer,
    );
  assert.deepEqual(outcomes(await crm.batch([good, refused])), [
    ['g', 'created'],
    ['g', 'INVALID_BODY'],
  ]);
  assert.deepEqual(await faults(), ['/status'], 'the good one before does not clear them');
  const late = { ...refused, sequence: 1 };
  assert.deepEqual(outcomes(await crm.batch([refused, { ...good, sequence: 4 }, late])), [
    ['g', 'INVALID_BODY'],
    ['g', 'unchanged'],
    ['g', 'superseded'],
  ]);
  assert.deepEqual(await faults(), []);
});

test('answers are bounded, however long the names and values of a record are', async () => {
  const long = 'x'.repeat(15_000);
  const records = [
    { [long]: 1 },
    { address: { [long]: 1 }, rental: { [long]: 1 } },
    record({ listingKey: long }),
    record({ listingKey: 'long', status: long, openHouses: [{ startsAt: long }], currency: long }),
    record({ listingKey: 'long', modifiedAt: long, photos: [long], location: { lat: long, lng: long } }),
  ];
  for (const each of records) {
    const [line] = await crm.batch([each]);
    assert.equal(line?.problem?.code, 'INVALID_BODY');
    const { length } = JSON.stringify(line);
    assert.ok(length < 3_000, `${length} bytes for ${JSON.stringify(each).slice(0, 60)}`);
  }
  const single = await crm.put('long', record({ [long]: 1, listingKey: long, timeZone: long }));
  assert.ok(single.status === 400 && single.text.length < 3_000, `${single.text.length} bytes`);
});

test('a trial of a batch says what would happen, and writes nothing', async () => {
  const lines = await crm.batch(
    [record({ listingKey: 'dry' }), record({ listingKey: 'l1' })],
    '?dryRun=true',
  );
  assert.deepEqual(outcomes(lines), [
    ['dry', 'created'],
    ['l1', 'unchanged'],
  ]);
  assert.equal((await crm.send('GET', '/listings/dry')).status, 404);
});

test('a batch with an Idempotency-Key is answered again, and not written again', async () => {
  const headers = { 'idempotency-key': 'batch-1' };
  const first = await crm.batch([record({ listingKey: 'k', listPrice: 1 })], '', headers);
  await crm.put('k', record({ listPrice: 2 }));
  assert.deepEqual(await crm.batch([record({ listingKey: 'k', listPrice: 1 })], '', headers), first);
  assert.equal((await crm.send('GET', '/listings/k')).json.version, 2);
  await assert.rejects(crm.batch([record({ listingKey: 'k', listPrice: 3 })], '', headers), /422/);
});

test('the record after the last that a body may have is refused, and those before it are written', async () => {
  const many = await createSender(service, 'many');
  const lines = await many.batch(Array.from({ length: PUSH.bodyRecords + 2 }, () => '1'));
  assert.equal(lines.length, PUSH.bodyRecords + 1);
  assert.equal(lines.at(-1)?.problem?.code, 'PAYLOAD_TOO_LARGE');
  const declared = await many.send('POST', '/listings', '[', { 'content-length': '1' });
  assert.equal(declared.status, 200);
});

test('a source has its own minute of records, beyond which each record says so', async () => {
  const busy = await createSender(service, 'records');
  const part = Array.from({ length: PUSH.bodyRecords }, () => '1');
  for (let sent = 0; sent < PUSH.records; sent += PUSH.bodyRecords) await busy.batch(part);
  const [refused] = await busy.batch([record({ listingKey: 'late' })]);
  assert.equal(refused?.problem?.code, 'RATE_LIMITED');
  assert.equal((await busy.put('late', record())).status, 429);
  const [other] = await crm.batch([record({ listingKey: 'l1' })]);
  assert.equal(other?.result, 'unchanged');
});

test('a snapshot ends what it lacks, unless that looks like a mistake or a newer message came', async () => {
  const shop = await createSender(service, 'shop');
  const keys = Array.from({ length: 40 }, (_, at) => `s${at}`);
  await shop.batch(keys.map((listingKey) => record({ listingKey, sequence: 10 })));
  const few = await shop.send('POST', '/snapshot?sequence=20', keys.slice(0, 20));
  assert.equal(few.json.code, 'CONFLICT', few.text);
  assert.match(few.text, /20 of 40 listings would end/);
  assert.equal((await shop.send('POST', '/snapshot', [])).json.code, 'CONFLICT', 'an empty list');
  const unreadable = await shop.send('POST', '/snapshot', [...keys.slice(2), 7]);
  assert.equal(unreadable.json.errors?.[0]?.pointer, '/38');
  await shop.put('s39', record({ sequence: 30 }));
  const trial = await shop.send('POST', '/snapshot?sequence=20&dryRun=true', keys.slice(2, 39));
  const found = { listed: 37, stored: 40, missing: 2, kept: 1, ended: 2 };
  assert.deepEqual({ ...trial.json, ...found, dryRun: true }, trial.json);
  assert.equal((await shop.send('GET', '/listings/s0')).json.status, 'ACTIVE');
  const taken = await shop.send('POST', '/snapshot?sequence=20&status=EXPIRED', keys.slice(2, 39));
  assert.deepEqual({ ...taken.json, ...found, examples: ['s0', 's1'] }, taken.json);
  assert.equal((await shop.send('GET', '/listings/s0')).json.status, 'EXPIRED');
  assert.equal((await shop.send('GET', '/listings/s39')).json.status, 'ACTIVE');
  assert.equal((await shop.put('s0', record({ sequence: 15 }))).json.result, 'superseded');
  service.clock.advance(1);
  const accepted = await shop.send('POST', '/snapshot?accept=true', '"s39"\n', {
    'content-type': 'application/x-ndjson',
  });
  assert.deepEqual([accepted.json.ended, accepted.json.listed], [37, 1], accepted.text);
  assert.equal((await shop.put('s5', record({ sequence: 10 }))).json.result, 'unchanged', 'a repeated one');
  assert.equal((await shop.send('GET', '/listings/s5')).json.status, 'WITHDRAWN');
  assert.equal((await shop.put('s5', record({ sequence: 11 }))).json.status, 'ACTIVE');
});

test('what a source pushes ends with its removal, and leaves nothing behind', async () => {
  const gone = await createSender(service, 'gone');
  const pushed = [record({ listingKey: 'x' }), record({ listingKey: 'y', status: 'NO' })];
  await gone.batch(pushed, '', { 'idempotency-key': 'first' });
  await removeSource({ database: service.database, source: 'gone' });
  assert.equal((await gone.put('x', record())).json.code, 'INVALID_TOKEN');
  const left = await service.database.read(
    (sql) => sql<{ rows: number }[]>`
      select (select count(*) from pushed_listing where source = 'gone')::int
        + (select count(*) from source where id = 'gone')::int
        + (select count(*) from idempotency_key where owner = 'source:gone')::int
        + (select count(*) from listing where source = 'gone')::int as rows`,
  );
  assert.equal(left[0]?.rows, 0);
});

test('a list of keys may begin with a byte-order mark', async () => {
  const marked = await createSender(service, 'marked');
  await marked.put('one', record());
  const taken = await marked.send('POST', '/snapshot', '\uFEFF"one"\n', {
    'content-type': 'application/x-ndjson',
  });
  assert.deepEqual([taken.json.listed, taken.json.ended], [1, 0], taken.text);
});

test('a third large body of one source is refused at once, and another source is not', async () => {
  const [eager, other] = [await createSender(service, 'eager'), await createSender(service, 'other')];
  const open = [1, 2].map(() => {
    const request = httpRequest(`${service.url}/v1/sources/eager/listings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${eager.token}`, 'content-type': 'application/x-ndjson' },
    });
    request.on('error', () => {});
    request.write(`${JSON.stringify(record({ listingKey: 'x' }))}\n`);
    return request;
  });
  const third = () => eager.send('POST', '/listings', '{}\n', { 'content-type': 'application/x-ndjson' });
  await until('both bodies are being read', async () => (await third()).status === 503);
  assert.equal((await third()).json.code, 'OVERLOADED');
  assert.equal((await other.batch([record({ listingKey: 'x' })]))[0]?.result, 'created');
  for (const request of open) request.destroy();
  await until('they have ended', async () => (await third()).status === 200);
});
