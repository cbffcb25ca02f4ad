// Course of revocations: many keys at once, ended at random moments, while a provider does its worst.

import type { Database } from '../../../src/postgres/client/database.ts';
import { createRandom } from '../check/random.ts';
import type { Closing } from '../database/database.ts';
import { manualClock } from '../service/clock.ts';
import { faultyProvider } from './provider.ts';
import { serveGuarded } from './service.ts';

export interface RevocationResult {
  /** The longest, in milliseconds, that a key was let in after its end. */
  readonly longest: number;
  /** Answers besides 200 and 503 before a key's end, and besides 200, 401 and 503 after it. */
  readonly wrong: readonly string[];
  readonly requests: number;
  readonly calls: number;
}

const ADDRESS = (index: number): string => `10.${index >> 8}.${index & 255}.7`;

/**
 * Two services on one database, their provider in faults all the time. Every key is used at random times on
 * both; half of the keys see the provider go dark at the moment of their end, the worst case: no notification can come.
 */
export async function runRevocations(
  t: Closing,
  database: Database,
  { keys, seed }: { readonly keys: number; readonly seed: number },
): Promise<RevocationResult> {
  const random = createRandom(seed);
  const clock = manualClock();
  const provider = faultyProvider(clock, random);
  const serve = () => serveGuarded(t, { database, clock, provider });
  const services = [await serve(), await serve()];
  const wrong: string[] = [];
  let [longest, requests] = [0, 0];
  const all = Array.from({ length: keys }, (_, index) => {
    const endsAt = 5_000 + random.below(1_200_000);
    // Every other key is first used a moment before its end: what is then said of it may be believed longest.
    const from = index % 2 === 0 ? endsAt - 1 : 0;
    return { key: provider.subscribe('internal'), from, endsAt, ended: false, address: ADDRESS(index) };
  });
  const outstanding = new Set<Promise<void>>();
  async function probe(each: (typeof all)[number], service: (typeof services)[number]): Promise<void> {
    const sentAt = clock.monotonic();
    requests++;
    const { status } = await service.ask({ key: each.key, headers: { 'x-forwarded-for': each.address } });
    if (status === 200 && each.ended && sentAt > each.endsAt)
      longest = Math.max(longest, sentAt - each.endsAt);
    if (![200, 503, ...(each.ended ? [401] : [])].includes(status)) wrong.push(`${status} ${each.key}`);
  }
  const until = Math.max(...all.map(({ endsAt }) => endsAt)) + 620_000;
  while (clock.monotonic() < until) {
    for (const each of all) {
      if (!each.ended && clock.monotonic() >= each.endsAt) {
        each.ended = true;
        provider.revoke(each.key);
        if (random.chance(0.5)) provider.dark.add(each.key);
      }
      const since = clock.monotonic() - each.endsAt;
      const atEdge = since === -1 || (since >= 599_999 && since <= 600_001);
      for (const service of services) {
        const asks = atEdge || (clock.monotonic() >= each.from && random.chance(0.03));
        if (since > 610_000 || !asks) continue;
        const answered = probe(each, service).finally(() => outstanding.delete(answered));
        outstanding.add(answered);
      }
    }
    await settled(outstanding);
    clock.advance(nextStep(all, clock.monotonic(), random.below(4_000) + 1));
  }
  while (outstanding.size > 0) {
    clock.advance(5_000);
    await settled(outstanding);
  }
  return { longest, wrong, requests, calls: provider.calls };
}

/** Never steps over a key's end or over the moment at which it must be out: that is where an error would show. */
function nextStep(all: readonly { readonly endsAt: number }[], now: number, wanted: number): number {
  const edges = all.flatMap(({ endsAt }) => [
    endsAt - 1,
    endsAt,
    endsAt + 599_999,
    endsAt + 600_000,
    endsAt + 600_001,
  ]);
  return Math.min(wanted, ...edges.filter((edge) => edge > now).map((edge) => edge - now));
}

/** Until what can be answered without time passing has been: the rest waits for the provider. */
async function settled(outstanding: ReadonlySet<Promise<void>>): Promise<void> {
  for (let quiet = 0, before = outstanding.size; quiet < 12 && outstanding.size > 0; quiet++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (outstanding.size < before) [quiet, before] = [0, outstanding.size];
  }
}
