// Proves that every source keeps the port's promises: the RESO client, and the one in memory that other tests use.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { createOutbound } from '../../src/lib/outbound.ts';
import { readProfile, STANDARD } from '../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../src/sources/reso/transport/client.ts';
import { LiveError, type Position, type Source } from '../../src/sources/source.ts';
import type { Closing } from '../support/database/database.ts';
import { draftOf, memorySource } from '../support/sources/memory-source.ts';
import { startUpstream } from '../support/sources/upstream.ts';

/** A source and the means to put listings into what it reads. */
interface Subject {
  readonly source: Source;
  put(key: string, price: number, at: string): void;
  drop(key: string): void;
}

const SUBJECTS: Readonly<Record<string, (t: Closing) => Promise<Subject>>> = {
  async 'the RESO client'(t) {
    const upstream = await startUpstream(t);
    const clock = systemClock;
    const credentials = {
      kind: 'client',
      tokenUrl: upstream.tokenUrl,
      clientId: 'a',
      clientSecret: 'b',
    } as const;
    const outbound = createOutbound({ clock });
    const source = resoSource({
      id: 'reso',
      name: 'RESO',
      url: upstream.url,
      credentials,
      outbound,
      clock,
      profile: readProfile(STANDARD, { watermark: { overlap: 0 } }),
    });
    t.after(() => source.close());
    return {
      source,
      put: (ListingKey, ListPrice, ModificationTimestamp) =>
        void upstream.records.set(ListingKey, { ListingKey, ListPrice, ModificationTimestamp }),
      drop: (key) => void upstream.records.delete(key),
    };
  },
  async 'the source in memory'() {
    const source = memorySource();
    return {
      source,
      put: (key, price, at) => source.put(draftOf(key, { ListPrice: price }), at),
      drop: (key) => void source.listings.delete(key),
    };
  },
};

const never = new AbortController().signal;

async function readAll(source: Source, from: Position | null) {
  const pages = [];
  for await (const page of source.pages(from, never)) pages.push(page);
  return pages;
}

const keysOf = (pages: Awaited<ReturnType<typeof readAll>>) =>
  pages.flatMap(({ drafts }) => drafts.map(({ listingKey }) => listingKey));

for (const [name, subject] of Object.entries(SUBJECTS)) {
  const filled = async (t: Closing) => {
    const made = await subject(t);
    for (let at = 0; at < 8; at++) made.put(`k${at}`, 100 + at, `2026-01-01T00:00:0${at}.000Z`);
    return made;
  };

  test(`${name}: the first load brings every listing, over several pages of which only the last says so`, async (t) => {
    const { source } = await filled(t);
    const pages = await readAll(source, null);
    assert.deepEqual(keysOf(pages).sort(), ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']);
    assert.ok(pages.length > 1);
    assert.deepEqual(
      pages.map(({ last }) => last),
      [...pages.slice(1).map(() => false), true],
    );
    assert.equal(pages[0]?.total, 8);
  });

  test(`${name}: a load goes on from any position that was kept`, async (t) => {
    const { source } = await filled(t);
    const pages = await readAll(source, null);
    for (const [at, page] of pages.slice(0, -1).entries()) {
      const before = keysOf(pages.slice(0, at + 1));
      const after = keysOf(await readAll(source, JSON.parse(JSON.stringify(page.next))));
      assert.deepEqual([...before, ...after].sort(), ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']);
    }
  });

  test(`${name}: after the load come changes and nothing but changes`, async (t) => {
    const { source, put } = await filled(t);
    const loaded = (await readAll(source, null)).at(-1)?.next ?? null;
    put('k3', 999, '2026-01-02T00:00:00.000Z');
    put('new', 1, '2026-01-02T00:00:01.000Z');
    const changes = await readAll(source, loaded);
    assert.deepEqual(
      keysOf(changes)
        .filter((key) => key !== 'k7')
        .sort(),
      ['k3', 'new'],
    );
    assert.equal(
      changes.flatMap(({ drafts }) => drafts).find(({ listingKey }) => listingKey === 'k3')?.listPrice,
      999,
    );
  });

  test(`${name}: a source where nothing changed does not move on`, async (t) => {
    const { source } = await filled(t);
    const loaded = (await readAll(source, null)).at(-1)?.next ?? null;
    const again = await readAll(source, loaded);
    assert.deepEqual(again.at(-1)?.next, loaded);
    assert.equal(again.at(-1)?.last, true);
  });

  test(`${name}: what changes while pages are read is read again`, async (t) => {
    const { source, put } = await filled(t);
    let position: Position | null = null;
    let first = true;
    for await (const page of source.pages(null, never)) {
      if (first) put('k0', 555, '2026-01-01T00:00:09.000Z');
      first = false;
      position = page.next;
    }
    const changes = await readAll(source, position);
    const seen = changes.flatMap(({ drafts }) => drafts).find(({ listingKey }) => listingKey === 'k0');
    assert.equal(seen?.listPrice, 555);
  });

  test(`${name}: one listing comes as it is now, and a missing one is not_found_upstream`, async (t) => {
    const { source, put, drop } = await filled(t);
    put('k1', 777, '2026-01-03T00:00:00.000Z');
    assert.equal((await source.fetchOne('k1', never)).listPrice, 777);
    drop('k1');
    const error = await source.fetchOne('k1', never).catch((reason: unknown) => reason);
    assert.ok(error instanceof LiveError && error.code === 'not_found_upstream');
  });

  test(`${name}: an aborted signal is a timeout`, async (t) => {
    const { source } = await filled(t);
    const error = await source.fetchOne('k1', AbortSignal.abort()).catch((reason: unknown) => reason);
    assert.ok(error instanceof LiveError && error.code === 'timeout');
  });

  test(`${name}: check resolves where the source answers`, async (t) => {
    const { source } = await filled(t);
    await source.check(never);
  });
}
