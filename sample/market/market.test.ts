// Proves that the market can be made again exactly, that its dates agree, and that it lives without growing.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { readLand } from '../land/land.ts';
import { recordOf } from '../odata/property.ts';
import { type Journal, World } from '../world.ts';
import { isOnMarket, type Listing } from './listing.ts';

const land = readLand();
const EPOCH = Date.UTC(2026, 4, 20, 18);
const DAY = 86_400_000;

interface Hand {
  readonly world: World;
  now: number;
  saved: Journal | null;
}

function openWorld(seed = 'market', size = 800, journal?: Journal): Hand {
  const start = journal ?? { version: 1, seed, epoch: EPOCH, size, deeds: [] };
  const hand: { world: World | null; now: number; saved: Journal | null } = {
    world: null,
    now: EPOCH + 5000,
    saved: null,
  };
  const keep = (saved: Journal): void => {
    // As the state file would: through text and back.
    hand.saved = JSON.parse(JSON.stringify(saved)) as Journal;
  };
  hand.world = new World(land, start, () => hand.now, keep);
  return hand as Hand;
}

const plain = { select: null, expand: new Map<string, number>() };
const everything = {
  select: null,
  expand: new Map([
    ['Media', 99],
    ['OpenHouse', 99],
  ]),
};

/** Of every field of every listing; `expand` adds photos and open houses. */
function hashOf({ world }: Hand, query: Parameters<typeof recordOf>[1] = plain): string {
  const hash = createHash('sha256');
  const context = {
    neighborhoods: land.neighborhoods,
    now: world.market.lastAt,
    baseUrl: 'http://sample',
    photosUrl: 'http://sample/photos',
  };
  for (const listing of world.market.visible()) {
    hash.update(JSON.stringify(recordOf(listing, query, { context, spelling: 'display' })));
  }
  return hash.digest('hex');
}

const all = ({ world }: Hand): Listing[] => [...world.market.visible()];

test('the same seed, epoch and steps give the same market, another seed another', () => {
  const [one, two, other] = [openWorld(), openWorld(), openWorld('another')];
  for (const hand of [one, two, other]) hand.world.advance(30);
  assert.equal(hashOf(one, everything), hashOf(two, everything));
  assert.notEqual(hashOf(one, everything), hashOf(other, everything));
});

test('a market made again from its journal is the same to the last field, and goes on the same way', () => {
  const key = (index: number): string => `CSL${10_000_000 + index * 7}`;
  const deeds = fc.oneof(
    fc.integer({ min: 1, max: 6 }).map((steps) => (hand: Hand) => void hand.world.advance(steps)),
    fc.integer({ min: 1, max: 9 }).map((seconds) => (hand: Hand) => {
      hand.now += seconds * 1000;
      hand.world.stepAt(hand.now);
    }),
    fc
      .record({ index: fc.nat(499), price: fc.integer({ min: 1000, max: 9e6 }) })
      .map(({ index, price }) => (hand: Hand) => {
        hand.world.change(key(index), { ListPrice: price, StandardStatus: 'Pending', City: 'Elsewhere' });
      }),
    fc.nat(20).map((index) => (hand: Hand) => void hand.world.remove(key(index))),
    fc.nat(20).map((index) => (hand: Hand) => void hand.world.restore(key(index))),
  );
  fc.assert(
    fc.property(fc.array(deeds, { minLength: 1, maxLength: 12 }), (acts) => {
      const first = openWorld('journal', 500);
      for (const act of acts) act(first);
      const saved = first.saved ?? undefined;
      const again = openWorld('journal', 500, saved);
      again.now = first.now;
      assert.equal(hashOf(again), hashOf(first));
      for (const hand of [first, again]) hand.world.advance(3);
      assert.equal(hashOf(again), hashOf(first));
    }),
    { numRuns: 6 },
  );
});

test('steps at even distances are one entry in the journal, however many they are', () => {
  const hand = openWorld('runs', 500);
  for (let i = 0; i < 200; i += 1) {
    hand.now += 5000;
    hand.world.stepAt(hand.now);
  }
  assert.equal(hand.saved?.deeds.length, 1);
});

test('each step changes 6 to 10 listings, stamped one after another up to the time of the step', () => {
  const hand = openWorld();
  let last = Math.max(...all(hand).map((listing) => listing.modifiedAt));
  for (let i = 0; i < 60; i += 1) {
    hand.now += 5000;
    const changed = hand.world.advance(1);
    assert.ok(changed.length >= 6 && changed.length <= 10, `${changed.length} changes`);
    const stamps = changed.map((key) => hand.world.market.find(key)?.modifiedAt ?? 0);
    for (const stamp of stamps) {
      assert.ok(stamp > last, 'a stamp that does not rise');
      last = stamp;
    }
    assert.equal(last, hand.now);
  }
});

test('no two listings share a ModificationTimestamp, at the epoch or after many steps', () => {
  const hand = openWorld();
  for (const steps of [0, 300]) {
    if (steps > 0) hand.world.advance(steps);
    const stamps = all(hand).map((listing) => listing.modifiedAt);
    assert.equal(new Set(stamps).size, stamps.length);
  }
});

function faultOf(listing: Listing, latest: number): string | null {
  const {
    enteredAt,
    onMarketAt,
    pendingAt,
    closedAt,
    offMarketAt,
    statusAt,
    modifiedAt,
    priceAt,
    majorChangeAt,
    photosAt,
  } = listing;
  for (const at of [
    statusAt,
    priceAt,
    majorChangeAt,
    photosAt,
    listing.openHousesAt,
    onMarketAt,
    pendingAt,
    closedAt,
    offMarketAt,
  ]) {
    if (at !== null && (at < enteredAt || at > modifiedAt)) return 'an instant outside entry to modification';
  }
  if (modifiedAt > latest) return 'modified in the future';
  if (isOnMarket(listing) && (onMarketAt === null || offMarketAt !== null))
    return 'on the market, but off it';
  if (pendingAt !== null && (onMarketAt === null || pendingAt < onMarketAt))
    return 'pending before it was offered';
  if ((listing.status === 'Closed') !== (closedAt !== null))
    return 'closed without a close, or the other way round';
  if (closedAt !== null && (pendingAt === null || closedAt < pendingAt || listing.closePrice === null))
    return 'closed before pending';
  if ((listing.previousPrice === null) !== (priceAt === null))
    return 'a price change without a time, or the other way round';
  return listing.listPrice > 0 ? null : 'no price';
}

test('dates, timestamps and prices of every listing agree, at the epoch and after long life', () => {
  const hand = openWorld('agree', 1500);
  for (const steps of [0, 400, 1600]) {
    if (steps > 0) hand.world.advance(steps);
    for (const listing of all(hand)) {
      // A deleted listing keeps the dates of its former life.
      if (listing.status === 'Delete') continue;
      assert.equal(faultOf(listing, hand.world.market.lastAt), null, `${listing.key} ${listing.status}`);
    }
  }
});

test('the market has the shares of a real one: two years of closings, a fifth on offer, every status', () => {
  const listings = all(openWorld('shares', 6000));
  const share = (suits: (listing: Listing) => boolean): number =>
    listings.filter(suits).length / listings.length;
  const between = (low: number, value: number, high: number, what: string): void =>
    assert.ok(value >= low && value <= high, `${what}: ${value}`);
  between(
    0.13,
    share((listing) => listing.status === 'Active'),
    0.26,
    'active',
  );
  between(
    0.02,
    share(({ status }) => status === 'Pending' || status === 'Active Under Contract'),
    0.08,
    'under contract',
  );
  between(
    0.5,
    share((listing) => listing.status === 'Closed'),
    0.75,
    'closed',
  );
  assert.equal(
    share((listing) => listing.side === 'lease'),
    0.4,
  );
  assert.equal(new Set(listings.map((listing) => listing.status)).size, 11);
  const closings = listings.flatMap((listing) => listing.closedAt ?? []);
  between(700, (EPOCH - Math.min(...closings)) / DAY, 732, 'days of history');
  between(
    0.05,
    1 - new Set(listings.map((listing) => listing.home)).size / listings.length,
    0.3,
    'homes listed again',
  );
  const ratios = listings
    .filter((listing) => listing.status === 'Closed')
    .map((listing) => (listing.closePrice ?? 0) / listing.listPrice);
  between(0.97, ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length, 1.01, 'close to list price');
});

test('over thousands of steps the market keeps its size and its supply', () => {
  const hand = openWorld('long', 500);
  const supply = hand.world.market.usualSupply;
  hand.world.advance(6000);
  const { market } = hand.world;
  assert.ok(market.count < 620, `${market.count} listings`);
  const active = market.pool('Active').length;
  assert.ok(active > supply / 2 && active < supply * 2, `${active} active of ${supply}`);
});
