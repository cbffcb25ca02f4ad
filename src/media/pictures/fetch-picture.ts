// Fetches of pictures from servers of others: bounded in time, bytes and pixels, each redirect checked like the first address.

import type { Clock } from '../../lib/clock.ts';
import type { NetworkAccess } from '../../lib/network/network-access.ts';
import type { OutboundStream } from '../../lib/outbound.ts';
import { OutboundFailure } from '../../lib/outbound-failure.ts';
import { cleanPicture } from './clean-picture.ts';
import { formatOf, type ImageHead, MAX_PIXELS, readHead } from './image-head.ts';

export const MAX_BYTES = 20_000_000;
/** Milliseconds for all of it, redirects included. */
const DEADLINE = 15_000;
const MAX_REDIRECTS = 3;
/** Bytes after which the format must be known. */
const FIRST = 12;
/** Milliseconds for which a server that answers 429 is left alone, and the longest that it may ask for. */
const REST = 3_600_000;
const MAX_REST = 86_400_000;

/** Why a picture was not fetched: words for operators, which never show an address. */
export type PictureFault =
  | 'forbidden'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'too_many_pixels'
  | 'not_an_image'
  | 'refused'
  | 'missing'
  | 'redirects';

/** `received`: bytes of all answers. */
export type Fetched = {
  readonly received: number;
} /** The file is without metadata, but its copyright. */ & (
  | { readonly state: 'fetched'; readonly file: Buffer; readonly head: ImageHead }
  | { readonly state: 'failed'; readonly fault: PictureFault }
  /** The server wants no request for these milliseconds. */
  | { readonly state: 'limited'; readonly wait: number }
);

export interface FetchOptions {
  readonly access: Pick<NetworkAccess, 'check' | 'outbound'>;
  readonly clock: Clock;
  /** Headers that the first address gets, and no other. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

type Hop = Fetched | { readonly state: 'redirect'; readonly to: URL };

/** Fetches one picture. Throws only where the signal has aborted. */
export async function fetchPicture(address: string, options: FetchOptions): Promise<Fetched> {
  const { access, clock, signal } = options;
  const end = clock.monotonic() + DEADLINE;
  let url = URL.parse(address);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (url === null || url.username !== '' || url.password !== '') return failed('forbidden');
    const checked = await access.check(url);
    signal.throwIfAborted();
    if ('fault' in checked) return failed('forbidden');
    const left = end - clock.monotonic();
    if (left <= 0) return failed('timeout');
    const answer = await requestOne(url, access.outbound(checked), { ...options, left, isFirst: hop === 0 });
    if (answer.state !== 'redirect') return answer;
    url = answer.to;
  }
  return failed('redirects');
}

const failed = (fault: PictureFault, received = 0): Fetched => ({ state: 'failed', fault, received });

async function requestOne(
  url: URL,
  outbound: ReturnType<NetworkAccess['outbound']>,
  {
    headers,
    signal,
    clock,
    left,
    isFirst,
  }: FetchOptions & { readonly left: number; readonly isFirst: boolean },
): Promise<Hop> {
  try {
    return await outbound.receive(
      {
        url,
        headers: {
          accept: 'image/avif, image/webp, image/jpeg, image/png',
          'user-agent': 'freehold',
          ...(isFirst && headers),
        },
        deadlineMs: left,
        signal,
      },
      (answer) => readAnswer(answer, url, clock),
    );
  } catch (error) {
    signal.throwIfAborted();
    const kind = error instanceof OutboundFailure ? error.kind : 'reset';
    if (kind === 'forbidden_address' || kind === 'invalid_url') return failed('forbidden');
    return failed(kind === 'timeout' ? 'timeout' : 'unreachable');
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

async function readAnswer(answer: OutboundStream, url: URL, clock: Clock): Promise<Hop> {
  const { status, headers } = answer;
  const header = (name: string): string => [headers[name]].flat()[0] ?? '';
  if (REDIRECTS.includes(status)) {
    const to = URL.parse(header('location'), url);
    const isWeaker = url.protocol === 'https:' && to?.protocol !== 'https:';
    return to === null || isWeaker ? failed('forbidden') : { state: 'redirect', to };
  }
  if (status === 429)
    return { state: 'limited', wait: restOf(header('retry-after'), clock.now()), received: 0 };
  if (status === 404 || status === 410) return failed('missing');
  if (status !== 200) return failed('refused');
  return readFile(answer, Number(header('content-length') || 0));
}

/** Milliseconds. */
function restOf(stated: string, now: number): number {
  const wait = /^\d+$/.test(stated) ? Number(stated) * 1_000 : Date.parse(stated) - now;
  return Number.isNaN(wait) ? REST : Math.min(Math.max(wait, REST), MAX_REST);
}

async function readFile({ body }: OutboundStream, stated: number): Promise<Fetched> {
  if (stated > MAX_BYTES) return failed('too_large');
  const chunks: Buffer[] = [];
  let received = 0;
  let isKnown = false;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > MAX_BYTES) return failed('too_large', received);
    chunks.push(chunk);
    if (isKnown || received < FIRST) continue;
    // Nothing is waited for that is no image.
    if (formatOf(Buffer.concat(chunks)) === null) return failed('not_an_image', received);
    isKnown = true;
  }
  const file = Buffer.concat(chunks, received);
  const head = readHead(file);
  if (head === null) return failed('not_an_image', received);
  if (head.width * head.height > MAX_PIXELS) return failed('too_many_pixels', received);
  const clean = cleanPicture(file, head.format);
  return clean === null
    ? failed('not_an_image', received)
    : { state: 'fetched', file: clean, head, received };
}
