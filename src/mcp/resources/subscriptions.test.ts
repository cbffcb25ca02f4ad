// Tests of subscriptions: what they hold, and that every way to end one frees all of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { anonymous, type Principal } from '../../access/tiers/tiers.ts';
import type { Access } from '../../http/frame/route.ts';
import { Problem } from '../../lib/problem.ts';
import { Subscriptions } from './subscriptions.ts';

const ACCESS: Readonly<Record<string, Access>> = {
  listing: { credentials: 'required', tier: 'pro', scope: 'listings:read', counts: 'month' },
  watcher: { credentials: 'required', scope: 'watchers', counts: 'month' },
};
const CALLER: Principal = { ...anonymous('192.0.2.1'), kind: 'key', tier: 'pro', owner: 'cus:a' };
const credential = { authorization: 'Bearer a', address: '192.0.2.1' };
const kindOf = (uri: string) => uri.slice(0, uri.indexOf(':'));

/** Subscriptions whose parts are counted while they are held. */
function createStage() {
  const held = new Map<string, number>();
  const updates = new Map<string, () => void>();
  const ends: { access: Access; end: () => void }[] = [];
  const faults = new Map<string, Error>();
  const hold = (what: string) => {
    const fault = faults.get(what);
    if (fault !== undefined) throw fault;
    held.set(what, (held.get(what) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (isHeld) held.set(what, (held.get(what) ?? 0) - 1);
      isHeld = false;
    };
  };
  const subscriptions = new Subscriptions({
    clock: manualClock(),
    resources: {
      access: (uri) => ACCESS[kindOf(uri)] ?? null,
      async requireFollowed(uri) {
        const fault = faults.get(`read ${uri}`);
        if (fault !== undefined) throw fault;
      },
    },
    openFeed: async () => hold('feed'),
    checkCredential(stream) {
      ends.push(stream);
      return hold('check');
    },
    async followListing(id, onChange) {
      updates.set(`listing ${id}`, onChange);
      return hold('listing');
    },
    async followWatcher({ owner, watcherId }, onEvent) {
      updates.set(`watcher ${watcherId} of ${owner}`, onEvent);
      return hold('watcher');
    },
  });
  const open = async (uris: readonly string[], signal = new AbortController().signal) => {
    const subscription = await subscriptions.open({ caller: CALLER, credential, uris, signal });
    const told: string[] = [];
    const leave = subscription.bus.subscribe((event) => told.push('uri' in event ? event.uri : event.kind));
    return { ...subscription, told, leave };
  };
  const holding = () => Object.fromEntries([...held].filter(([, count]) => count !== 0));
  return { subscriptions, open, holding, updates, ends, faults };
}

const URIS = ['watcher://wat_1', 'listing://lst_1', 'listing://lst_2'];

test('a stream holds one feed, a check for each kind of access, and follows each of its resources', async () => {
  const { open, holding, updates, ends, subscriptions } = createStage();
  const { uris, told } = await open([...URIS, 'listing://lst_1']);
  assert.deepEqual(uris, URIS);
  assert.deepEqual(holding(), { feed: 1, check: 2, watcher: 1, listing: 2 });
  assert.deepEqual(
    ends.map(({ access }) => access.scope),
    ['watchers', 'listings:read'],
  );
  assert.equal(subscriptions.size, 1);
  updates.get('watcher wat_1 of cus:a')?.();
  assert.deepEqual(told, ['watcher://wat_1']);
});

test('each stream is told of its own resources alone', async () => {
  const { open, updates } = createStage();
  const [one, other] = [await open(['listing://lst_1']), await open(['listing://lst_2'])];
  updates.get('listing lst_1')?.();
  assert.deepEqual([one.told, other.told], [['listing://lst_1'], []]);
});

for (const [how, end] of [
  ['the client leaves', ({ left }) => left.abort()],
  ['the SDK ends it', ({ stream }) => stream.leave()],
  ['it is closed, even twice', ({ stream }) => [stream.close(), stream.close()]],
  ['its credential ends', ({ stage }) => stage.ends[1]?.end()],
  ['the service drains', ({ stage }) => stage.subscriptions.close()],
] as const satisfies readonly (readonly [
  string,
  (test: {
    stage: ReturnType<typeof createStage>;
    stream: { leave(): void; close(): void };
    left: AbortController;
  }) => unknown,
])[])
  test(`a stream frees all that it holds when ${how}, and tells nothing more`, async () => {
    const stage = createStage();
    const left = new AbortController();
    const stream = await stage.open(URIS, left.signal);
    end({ stage, stream, left });
    assert.deepEqual(stage.holding(), {});
    assert.equal(stage.subscriptions.size, 0);
    stage.updates.get('listing lst_1')?.();
    assert.deepEqual(stream.told, []);
    const isEndedByService = how.includes('credential') || how.includes('drains');
    assert.equal(stream.ended.aborted, isEndedByService);
  });

test('unknown, foreign and hidden resources, and those of a higher tier, are left out; with none left nothing is held', async () => {
  const { open, holding, faults } = createStage();
  faults.set('read watcher://wat_1', new Problem('WATCHER_NOT_FOUND', ''));
  faults.set('read listing://lst_1', new Problem('LISTING_NOT_FOUND', ''));
  faults.set('read listing://lst_2', new Problem('TIER_RESTRICTED', ''));
  faults.set('read area://us', new Problem('NOT_FOUND', ''));
  const { uris } = await open([...URIS, 'area://us']);
  assert.deepEqual([uris, holding()], [[], {}]);
  assert.deepEqual((await open([...URIS, 'listing://lst_3'])).uris, ['listing://lst_3']);
});

test('a stream that cannot be opened holds nothing', async () => {
  for (const [what, fault] of [
    ['feed', new Problem('TOO_MANY_STREAMS', '')],
    ['check', new Error('broken')],
    ['watcher', new Problem('DATABASE_UNAVAILABLE', '')],
    ['listing', new Problem('DATABASE_UNAVAILABLE', '')],
    ['read listing://lst_2', new Problem('DATABASE_UNAVAILABLE', '')],
  ] as const) {
    const { open, holding, faults, subscriptions } = createStage();
    faults.set(what, fault);
    await assert.rejects(open(URIS), fault);
    assert.deepEqual([holding(), subscriptions.size], [{}, 0], what);
  }
});

test('a client that left while its stream was opened leaves nothing behind, and no stream opens once the service drains', async () => {
  const stage = createStage();
  const left = AbortSignal.abort();
  await stage.open(URIS, left);
  assert.deepEqual(stage.holding(), {});
  const opening = stage.open(URIS);
  stage.subscriptions.close();
  assert.equal((await opening).ended.aborted, true);
  assert.equal((await stage.open(URIS)).ended.aborted, true);
  assert.deepEqual([stage.holding(), stage.subscriptions.size], [{}, 0]);
});

test('a stream takes at most 100 URIs, each counted once', async () => {
  const { open } = createStage();
  const uris = Array.from({ length: 101 }, (_, at) => `listing://lst_${at}`);
  assert.equal((await open([...uris.slice(1), ...uris.slice(1)])).uris.length, 100);
  await assert.rejects(open(uris), { code: 'INVALID_PARAMETER', message: /at most 100 URIs/ });
});
