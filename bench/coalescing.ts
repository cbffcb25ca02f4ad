// P8: calls of the source for a thousand simultaneous streams of one listing.

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { startUpstream, type Upstream } from '../test/support/sources/upstream.ts';
import { type Arm, startArm, type Testbed, writeTiers } from './testbed.ts';
import type { Row } from './throughput.ts';

const STREAMS = 1_000;
const TIERS = { pro: { minute: 5_000_000, month: 1_000_000_000, streams: 20_000 } };
const PATIENCE = 30_000;
const RECORD = {
  ListingKey: 'p8',
  ListPrice: 1,
  StandardStatus: 'Active',
  PropertyType: 'Residential',
  ModificationTimestamp: '2026-01-01T00:00:00Z',
};

/** Exact, and so not a ratio: the source holds its answer back until all of them wait for it. */
export async function callsForOneListing(testbed: Testbed): Promise<Row[]> {
  await using source = await startSource();
  const ours = await startWithSource(testbed, 'p8', source);
  const held: ServerResponse[] = [];
  source.upstream.faults.entity = (_, response) => void held.push(response);
  const before = source.upstream.listingRequests.length;
  const streams = Array.from({ length: STREAMS }, () =>
    fetch(`${ours.arm.url}${ours.path}`, { headers: { authorization: `Bearer ${testbed.key}` } }),
  );
  const texts = (await Promise.all(streams)).map((answer) => answer.text());
  await source.upstream.untilRequested(before + 1);
  for (const response of held) response.end(JSON.stringify(RECORD));
  const live = (await Promise.all(texts)).filter((text) => text.includes('event: live')).length;
  const calls = source.upstream.listingRequests.length - before;
  await ours.arm.stop();
  const name = 'P8 calls for a thousand streams of one listing';
  const figure = `${calls} (${live} of ${STREAMS} got it live)`;
  return [{ name, figure, floor: '1', met: calls === 1 && live === STREAMS }];
}

interface OneListingSource extends AsyncDisposable {
  readonly upstream: Upstream;
}

/** A source with one listing. */
export async function startSource(): Promise<OneListingSource> {
  const closing: (() => unknown)[] = [];
  const upstream = await startUpstream({ after: (close: () => unknown) => closing.push(close) });
  upstream.records.set(RECORD.ListingKey, RECORD);
  return {
    upstream,
    async [Symbol.asyncDispose]() {
      for (const close of closing) await close();
    },
  };
}

/** The service, once it has read the source's listing, and the address of its stream. */
export async function startWithSource(
  testbed: Testbed,
  name: string,
  { upstream }: OneListingSource,
): Promise<{ readonly arm: Arm; readonly path: string }> {
  const arm = await startArm('service.ts', {
    DATABASE_URL: testbed.databaseUrl,
    SOURCE: 'reso',
    LOG_LEVEL: 'warn',
    RESO_BASE_URL: upstream.url,
    RESO_TOKEN_URL: upstream.tokenUrl,
    RESO_CLIENT_ID: 'bench',
    RESO_CLIENT_SECRET: 'bench',
    TIERS_FILE: await writeTiers(testbed, name, TIERS),
    DATA_DIR: join(testbed.folder, name),
  });
  return { arm, path: await untilLoaded(arm, testbed.key) };
}

/** The stream of the one listing that the source has, once it is read. */
async function untilLoaded(arm: Arm, key: string): Promise<string> {
  const end = performance.now() + PATIENCE;
  while (performance.now() < end) {
    const answer = await fetch(`${arm.url}/v1/search/sales?maxPrice=1&fields=id`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const page = (await answer.json()) as { readonly data?: readonly { readonly id: string }[] };
    const id = page.data?.[0]?.id;
    if (id !== undefined) return `/v1/listing/${id}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The listing of P8 was not loaded');
}
