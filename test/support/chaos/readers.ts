// Clients that search without pause while processes fail, and judge each answer: right, an honest 503, or wrong.

import { pause, systemClock } from '../../../src/lib/clock.ts';
import { isPending } from './ledger.ts';

export interface Readers {
  readonly key: string;
  readonly path: string;
  /** What is wrong with the JSON of a 200; undefined: nothing. */
  readonly judge: (text: string) => string | undefined;
  /** Answers with 200: each of them is charged to the month. */
  counted: number;
  /** Answers with 503 that say what they should. */
  refused: number;
  /** Set while no service process runs: then, and only then, may a connection fail. */
  away: boolean;
  /** What nobody should have been answered. */
  readonly wrong: string[];
  /** The longest that an answer took, in milliseconds. */
  slowest: number;
}

/** Codes that a 503 may have while the database is away, or a process that was restarted fills its search. */
const HONEST = ['DATABASE_UNAVAILABLE', 'SUBSCRIPTIONS_UNAVAILABLE', 'SEARCH_LOADING'];
/** Milliseconds: a 503 comes within three seconds, and a busy machine may take a little more to pass it on. */
const TIMEOUT_MS = 20_000;
const PAUSE = 5;

export function newReaders(key: string, options: Partial<Pick<Readers, 'path' | 'judge'>> = {}): Readers {
  const search = { path: '/v1/search/sales?limit=20', judge: judgeListings, ...options };
  return { ...search, key, counted: 0, refused: 0, away: false, wrong: [], slowest: 0 };
}

/** Searches until the signal. */
export async function readOn(url: string, readers: Readers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const begun = systemClock.monotonic();
    const away = readers.away;
    const wrong = await read(url, readers).catch((error: Error) =>
      away || readers.away ? undefined : `${error.message}: ${String(error.cause ?? '')}`,
    );
    if (wrong !== undefined) readers.wrong.push(wrong);
    readers.slowest = Math.max(readers.slowest, systemClock.monotonic() - begun);
    await pause(systemClock, wrong === undefined ? PAUSE : PAUSE * 20, signal);
  }
}

/** One search; says what is wrong with its answer, if anything. */
async function read(url: string, readers: Readers): Promise<string | undefined> {
  const answer = await fetch(`${url}${readers.path}`, {
    headers: { authorization: `Bearer ${readers.key}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  // Charged when it was admitted, whatever becomes of the rest of it.
  if (answer.status === 200) readers.counted++;
  const text = await answer.text();
  if (answer.status === 200) return readers.judge(text);
  const { code } = JSON.parse(text) as { code?: string };
  const honest = answer.status === 503 && HONEST.includes(code ?? '') && answer.headers.has('retry-after');
  const document = answer.headers.get('content-type')?.startsWith('application/problem+json');
  if (!honest || !document) return `${answer.status} ${text}`;
  readers.refused++;
  return undefined;
}

/** A price tells the status that belongs to it: a listing that is shown as ACTIVE has a price that says so. */
function judgeListings(text: string): string | undefined {
  const { data } = JSON.parse(text) as { data: { status: string; price: number }[] };
  const wrong = data.find(({ status, price }) => status !== 'ACTIVE' || isPending(price));
  return wrong === undefined ? undefined : `a listing that is ${wrong.status} at ${wrong.price}`;
}
