// Proof of listeners to changes: each hears what any process commits about its listing, over one follower for all of them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ListingChange } from '../../src/changes/change.ts';
import { ChangeListeners } from '../../src/changes/change-listeners.ts';
import { appendChanges, appendPrivateEntries } from '../../src/changes/change-store.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing, testDatabase } from '../support/database/database.ts';

interface State {
  readonly price: number;
}

const { database } = await testDatabase({ after });
const NOW = Date.UTC(2026, 0, 10);

/** Commits an update of each listing to this price. */
async function write(price: number, listingIds: readonly string[], quiet = false): Promise<void> {
  const changes = listingIds.map((listingId) => ({
    kind: 'updated' as const,
    listingId,
    propertyId: 'prp_1',
    changed: ['price'],
    after: { price },
    before: null,
  }));
  await database.transaction((tx) => appendChanges(tx, changes, NOW, quiet));
}

/** Listeners on the database, and the connections that their followers hold. */
function createListeners(t: Closing, changed: (database: Database) => Database = (own) => own) {
  const open = new Set<object>();
  const counted: Database = {
    ...database,
    dedicated(hooks) {
      const connection = database.dedicated(hooks);
      open.add(connection);
      const destroy = () => {
        open.delete(connection);
        connection.destroy();
      };
      return { ...connection, destroy };
    },
  };
  const listeners = new ChangeListeners<State>({ database: changed(counted), report: assert.ifError });
  atEnd(t, () => listeners.close());
  const listen = async (listingId: string) => {
    const heard: ListingChange<State>[] = [];
    const leave = await listeners.listen(listingId, (change) => heard.push(change));
    return { heard, leave, prices: () => heard.map((change) => change.after.price) };
  };
  return { listeners, listen, open };
}

test('a listener hears the changes of its listing from when it listens, and those of no other', async (t) => {
  const { listen, open } = createListeners(t);
  await write(1, ['a', 'b']);
  const [one, other] = [await listen('a'), await listen('b')];
  await write(2, ['a', 'b']);
  await write(3, ['c', 'b']);
  await database.transaction((tx) =>
    appendPrivateEntries(tx, [{ watcherId: 'a', action: 'created', data: null }], NOW),
  );
  await write(4, ['a']);
  await until('the last change is heard', () => one.heard.length >= 2);
  assert.deepEqual(
    [one.prices(), other.prices()],
    [
      [2, 4],
      [2, 3],
    ],
  );
  assert.equal(one.heard[0]?.listingId, 'a');
  assert.equal(open.size, 1, 'one follower for all');
});

test('what a first load writes is told to nobody', async (t) => {
  const { listen } = createListeners(t);
  const one = await listen('quiet');
  await write(1, ['quiet'], true);
  await write(2, ['quiet']);
  await until('the later change is heard', () => one.heard.length > 0);
  assert.deepEqual(one.prices(), [2]);
});

test('the log is read only while somebody listens, and from then on', async (t) => {
  const { listen, open } = createListeners(t);
  assert.equal(open.size, 0);
  const [first, second] = [await listen('d'), await listen('d')];
  first.leave();
  first.leave();
  await write(1, ['d']);
  await until('the one that stayed hears it', () => second.heard.length === 1);
  assert.deepEqual(first.heard, []);
  second.leave();
  await until('the follower has ended', () => open.size === 0);
  await write(2, ['d']);
  const third = await listen('d');
  await write(3, ['d']);
  await until('the new one hears the last change', () => third.heard.length > 0);
  assert.deepEqual(third.prices(), [3]);
});

test('whoever listens goes on hearing its listing when another one stops listening to another listing, or to the same', async (t) => {
  const { listen, open } = createListeners(t);
  const [staying, other, same] = [await listen('g'), await listen('h'), await listen('g')];
  other.leave();
  await write(1, ['g', 'h']);
  await until('those of the listing hear it', () => staying.heard.length === 1 && same.heard.length === 1);
  same.leave();
  const late = await listen('i');
  await write(2, ['g', 'h', 'i']);
  await until('both hear it', () => staying.heard.length === 2 && late.heard.length === 1);
  staying.leave();
  await write(3, ['g', 'i']);
  await until('the last one hears it', () => late.heard.length === 2);
  assert.deepEqual(
    [staying.prices(), other.prices(), same.prices(), late.prices()],
    [[1, 2], [], [1], [2, 3]],
  );
  assert.equal(open.size, 1, 'the same follower');
});

test('a listing that two listen to is heard by each once, and by one that leaves and comes back from then on', async (t) => {
  const { listen } = createListeners(t);
  const [first, second] = [await listen('j'), await listen('j')];
  await write(1, ['j']);
  await until('both hear it', () => first.heard.length > 0 && second.heard.length > 0);
  first.leave();
  await write(2, ['j']);
  await until('the other one hears it', () => second.heard.length === 2);
  const again = await listen('j');
  await write(3, ['j']);
  await until('the new one hears it', () => again.heard.length > 0 && second.heard.length === 3);
  assert.deepEqual([first.prices(), second.prices(), again.prices()], [[1], [1, 2, 3], [3]]);
});

test('listening fails while the log cannot be read, and works again once it can', async (t) => {
  let isDown = true;
  const { listeners, listen } = createListeners(t, (own) => ({
    ...own,
    read: (work, options) =>
      isDown ? Promise.reject(new Error('The database is down')) : own.read(work, options),
  }));
  await assert.rejects(
    listeners.listen('e', () => assert.fail()),
    /down/,
  );
  isDown = false;
  const one = await listen('e');
  await write(1, ['e']);
  await until('the change is heard', () => one.heard.length === 1);
});

test('closing ends the follower and all listening', async (t) => {
  const { listeners, listen, open } = createListeners(t);
  const one = await listen('f');
  await until('the follower listens', () => open.size === 1);
  await listeners.close();
  assert.equal(open.size, 0);
  await write(1, ['f']);
  one.leave();
  assert.deepEqual(one.heard, []);
});
