// Proves the RESO client against the sample market: everything is read, understood, followed and survived.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSampleMarket } from '../../src/app/sample-market.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createOutbound } from '../../src/lib/outbound.ts';
import { readProfile, STANDARD } from '../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../src/sources/reso/transport/client.ts';
import { LiveError, type Position, type SourcePage } from '../../src/sources/source.ts';
import { atEnd, temporaryFolder } from '../support/database/database.ts';

const ending = { after };
const dataDirectory = await temporaryFolder(ending, 'sample');
const market = await startSampleMarket({
  dataDirectory,
  port: 0,
  interval: 0,
  listings: 500,
  photosUrl: 'https://homes.example/photos',
  log: () => {},
});
atEnd(ending, () => market.stop());

const { clientId, clientSecret } = market;
const options = {
  id: 'sample',
  name: 'Sample',
  url: `${market.url}/odata`,
  clock: systemClock,
  credentials: { kind: 'client' as const, tokenUrl: `${market.url}/oauth/token`, clientId, clientSecret },
  outbound: createOutbound({ clock: systemClock }),
  profile: readProfile(STANDARD, { watermark: { overlap: 0 } }),
};
const source = resoSource(options);
atEnd(ending, () => source.close());

const never = new AbortController().signal;

async function control(method: string, path: string, body: unknown = {}): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const init = method === 'DELETE' ? { method } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${market.url}/control/${path}`, init);
  assert.equal(answer.status, 200, await answer.text());
}

async function read(from: Position | null): Promise<SourcePage[]> {
  const pages: SourcePage[] = [];
  for await (const page of source.pages(from, never)) pages.push(page);
  return pages;
}

const load = await read(null);
const drafts = load.flatMap((page) => page.drafts);
const loaded = load.at(-1)?.next ?? null;
const active = drafts.find(({ status }) => status === 'ACTIVE')?.listingKey ?? '';

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((reason: unknown) => reason);
  return error instanceof LiveError ? error.code : String(error);
}

test('every listing of the sample is read, and every field of it understood', () => {
  assert.equal(drafts.length, 500);
  assert.equal(new Set(drafts.map(({ listingKey }) => listingKey)).size, 500);
  assert.equal(load[0]?.total, 500);
  assert.deepEqual([...source.fieldErrors], []);
  assert.deepEqual(
    drafts.filter(({ status, propertyType }) => status === 'UNKNOWN' || propertyType === 'OTHER'),
    [],
  );
  assert.ok(drafts.some(({ openHouses }) => (openHouses?.length ?? 0) > 0));
  assert.ok(drafts.some(({ photos }) => (photos?.length ?? 0) > 0));
});

test('a change is found live and with the next round, and only it', async () => {
  await control('POST', 'change', { key: active, set: { ListPrice: 123_456 } });
  assert.equal((await source.fetchOne(active, never)).listPrice, 123_456);
  const changed = (await read(loaded)).flatMap((page) => page.drafts);
  const mark = String(loaded?.since);
  assert.deepEqual(
    changed
      .filter(({ upstreamModifiedAt }) => (upstreamModifiedAt ?? '') > mark)
      .map(({ listingKey }) => listingKey),
    [active],
  );
});

test('tokens that have expired are renewed without a word', async () => {
  await control('POST', 'expire-tokens');
  assert.equal((await source.fetchOne(active, never)).listingKey, active);
});

test('a listing that was taken away is not_found_upstream, and back again when it is restored', async () => {
  await control('POST', 'remove', { key: active });
  assert.equal(await codeOf(source.fetchOne(active, never)), 'not_found_upstream');
  await control('POST', 'restore', { key: active });
  assert.equal((await source.fetchOne(active, never)).listingKey, active);
});

test('every fault that the sample can make has its name', async () => {
  const faults = {
    reset: 'fetch_failed',
    truncated: 'fetch_failed',
    redirect: 'fetch_failed',
    malformed: 'parse_failed',
    wrong_id: 'parse_failed',
    huge: 'parse_failed',
  };
  for (const [kind, code] of Object.entries(faults)) {
    await control('PUT', 'faults', { kind });
    assert.equal(await codeOf(source.fetchOne(active, never)), code, kind);
  }
  for (const [status, code] of [
    [500, 'fetch_failed'],
    [403, 'upstream_unauthorized'],
    [429, 'upstream_rate_limited'],
    [503, 'upstream_unavailable'],
  ] as const) {
    await control('PUT', 'faults', { kind: 'status', status });
    // A source sends nothing before the time that a Retry-After names: each status gets one of its own.
    const fresh = resoSource({ ...options, outbound: createOutbound({ clock: systemClock }) });
    assert.equal(await codeOf(fresh.fetchOne(active, never)), code, String(status));
    await fresh.close();
  }
  await control('DELETE', 'faults');
  assert.equal((await source.fetchOne(active, never)).listingKey, active);
});
