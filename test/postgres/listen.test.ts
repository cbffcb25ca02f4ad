// Proves that a listener hears what is committed, and says so whenever it may have missed something.
import assert from 'node:assert/strict';
import { EventEmitter, on } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { listen, notify } from '../../src/postgres/client/listen.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { readPostmaster } from '../../src/postgres/embedded/postmaster.ts';
import { until } from '../support/check/until.ts';
import { atEnd, emptyDatabase, temporaryFolder } from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';
import { manualClock } from '../support/service/clock.ts';

const CHANNEL = 'Homes "for sale"';

/** What a listener hears, in order: 'gap', or a message. */
function hear(t: TestContext, database: Database): () => Promise<string> {
  const events = new EventEmitter();
  const heard = on(events, 'heard');
  const listener = listen(
    database,
    CHANNEL,
    (payload) => events.emit('heard', payload),
    () => events.emit('heard', 'gap'),
  );
  atEnd(t, () => listener.close());
  return async () => {
    const next = await heard.next();
    return String((next.value as unknown[])[0]);
  };
}

test('a message is heard once its transaction is committed, and not when it is rolled back', async (t) => {
  const { database } = await emptyDatabase(t);
  const next = hear(t, database);
  assert.equal(await next(), 'gap');
  const rolledBack = database.transaction(async (tx) => {
    await notify(tx, CHANNEL, 'never');
    throw new Error('no');
  });
  await assert.rejects(rolledBack);
  await database.transaction((tx) => notify(tx, CHANNEL, 'sold'));
  assert.equal(await next(), 'sold');
});

test('after the server was killed and came back, the gap is told and messages are heard again', async (t) => {
  const dataDirectory = join(await temporaryFolder(t, 'listen'), 'data');
  const server = await startEmbedded({ dataDirectory, log: () => {}, durable: false });
  atEnd(t, () => server.stop());
  const database = openDatabase({ socket: server.connection, maxConnections: 1 });
  atEnd(t, () => database.close(100));
  const next = hear(t, database);
  assert.equal(await next(), 'gap');
  process.kill((await readPostmaster(server.place.cluster))?.pid ?? 0, 'SIGKILL');
  assert.equal(await next(), 'gap');
  await database.write((sql) => notify(sql, CHANNEL, 'back'));
  assert.equal(await next(), 'back');
});

test('a line that hangs without a word is noticed and replaced', async (t) => {
  const { url, database: direct } = await emptyDatabase(t);
  const proxy = await startDatabaseProxy(t, url);
  const clock = manualClock();
  const database = openDatabase({ url: proxy.url, clock });
  const next = hear(t, database);
  assert.equal(await next(), 'gap');
  proxy.mode = 'hang';
  await until('the listener asks whether the line lives', async () => {
    clock.advance(1_000);
    return proxy.swallowed > 0;
  });
  proxy.mode = 'pass';
  let told = '';
  void next().then((event) => {
    told = event;
  });
  await until('the gap is told', async () => {
    if (told === '') clock.advance(1_000);
    return told !== '';
  });
  assert.equal(told, 'gap');
  await direct.write((sql) => notify(sql, CHANNEL, 'heard'));
  assert.equal(await next(), 'heard');
});

test('listeners of one database share a connection, whenever they come, and all are told of a gap', async (t) => {
  const { database } = await emptyDatabase(t);
  const opened: { destroy(): void }[] = [];
  const counted: Database = {
    ...database,
    dedicated(hooks) {
      const connection = database.dedicated(hooks);
      opened.push(connection);
      return connection;
    },
  };
  const first = hear(t, counted);
  assert.equal(await first(), 'gap');
  const heard: string[] = [];
  const other = listen(
    counted,
    'other',
    (payload) => heard.push(payload),
    () => heard.push('gap'),
  );
  await until('it has joined', () => heard.length === 1);
  const third = hear(t, counted);
  assert.equal(await third(), 'gap');
  await database.transaction(async (tx) => {
    await notify(tx, 'other', 'else');
    await notify(tx, CHANNEL, 'sold');
  });
  assert.deepEqual([await first(), await third()], ['sold', 'sold']);
  assert.deepEqual(heard, ['gap', 'else']);
  assert.equal(opened.length, 1);
  opened[0]?.destroy();
  assert.deepEqual([await first(), await third()], ['gap', 'gap']);
  await until('the other is told too', () => heard.length === 3);
  assert.deepEqual([heard.at(-1), opened.length], ['gap', 2]);
  await other.close();
  await database.transaction(async (tx) => {
    await notify(tx, 'other', 'unheard');
    await notify(tx, CHANNEL, 'again');
  });
  assert.deepEqual([await first(), await third(), heard.length], ['again', 'again', 3]);
});

test('a handler that throws is told of and does not end the listening', async (t) => {
  const { database } = await emptyDatabase(t);
  const { promise: trouble, resolve: onError } = Promise.withResolvers<unknown>();
  const { promise: joined, resolve: onGap } = Promise.withResolvers<void>();
  const { promise: second, resolve: onSecond } = Promise.withResolvers<string>();
  const onMessage = (payload: string) => {
    if (payload === 'first') throw new Error('handler');
    onSecond(payload);
  };
  const listener = listen(database, CHANNEL, onMessage, onGap, { onError });
  atEnd(t, () => listener.close());
  await joined;
  await database.write((sql) => notify(sql, CHANNEL, 'first'));
  await database.write((sql) => notify(sql, CHANNEL, 'second'));
  assert.equal(((await trouble) as Error).message, 'handler');
  assert.equal(await second, 'second');
});
