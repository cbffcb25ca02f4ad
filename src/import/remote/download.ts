// Downloads of files: bounded in time and size, each redirect checked like the first address, unchanged files left alone.

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../lib/clock.ts';
import type { NetworkAccess } from '../../lib/network/network-access.ts';
import type { OutboundStream } from '../../lib/outbound.ts';
import { type FailureKind, OutboundFailure } from '../../lib/outbound-failure.ts';
import { FileFault } from '../formats/record.ts';
import { type RemoteFile, shownUrl, type Validators } from './remote-file.ts';

const MAX_REDIRECTS = 5;
const MAX_BYTES = 2 * 1024 ** 3;
/** Milliseconds for all of it, and without a byte. */
const DEADLINE = 60 * 60_000;
const IDLE = 60_000;

export interface DownloadOptions {
  readonly access: Pick<NetworkAccess, 'check' | 'outbound'>;
  readonly clock: Clock;
  readonly remote: RemoteFile;
  /** Credentials, which go to no other origin than that of the URL. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the file as it was last time; null: it is fetched in any case. */
  readonly known: Validators | null;
  /** Where the file goes. */
  readonly path: string;
  readonly signal?: AbortSignal;
}

export type Download =
  | { readonly state: 'unchanged' }
  | { readonly state: 'fetched'; readonly validators: Validators };

type Outcome =
  | Download
  | { readonly state: 'redirect'; readonly to: URL }
  | { readonly state: 'fault'; readonly fault: string };

/** Throws FileFault, whose message shows neither credentials nor queries. */
export async function download(options: DownloadOptions): Promise<Download> {
  const { access, remote } = options;
  let { url } = remote;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const checked = await access.check(url);
    if ('fault' in checked) throw new FileFault(`${shownUrl(url)} ${checked.fault}.`);
    const outcome = await requestOne(options, url, checked);
    if (outcome.state === 'fault') throw new FileFault(`${shownUrl(url)} ${outcome.fault}.`);
    if (outcome.state !== 'redirect') return outcome;
    url = outcome.to;
  }
  throw new FileFault(
    `${remote.shown} redirects more than ${MAX_REDIRECTS} times: give the address that it leads to.`,
  );
}

async function requestOne(
  { access, clock, remote, headers, known, path, signal: parent }: DownloadOptions,
  url: URL,
  checked: Parameters<NetworkAccess['outbound']>[0],
): Promise<Outcome> {
  const idle = new AbortController();
  const signals = [idle.signal, ...(parent === undefined ? [] : [parent])];
  const isOwn = url.origin === remote.url.origin;
  let cancel = clock.after(IDLE, () => idle.abort());
  const onBytes = (): void => {
    cancel();
    cancel = clock.after(IDLE, () => idle.abort());
  };
  try {
    return await access.outbound(checked).receive(
      {
        url,
        headers: { accept: '*/*', 'user-agent': 'freehold', ...conditions(known), ...(isOwn && headers) },
        deadlineMs: DEADLINE,
        signal: AbortSignal.any(signals),
      },
      (answer) => outcomeOf(answer, url, path, onBytes),
    );
  } catch (error) {
    parent?.throwIfAborted();
    const kind = error instanceof OutboundFailure ? error.kind : 'reset';
    return {
      state: 'fault',
      fault: idle.signal.aborted ? `sent nothing for ${IDLE / 1_000} seconds` : FAILURES[kind],
    };
  } finally {
    cancel();
  }
}

const FAILURES: Readonly<Record<FailureKind, string>> = {
  timeout: 'did not answer in time',
  refused: 'cannot be reached: nobody listens there, or there is no way to it',
  reset: 'broke the connection off before the file was whole: try again',
  unresolved: 'names a host without an address: check the spelling',
  too_large: `is larger than ${MAX_BYTES / 1024 ** 3} GB`,
  malformed: 'did not answer as a web server does',
  tls: 'has no certificate that can be trusted',
  forbidden_address: 'leads to an address that is not permitted',
  invalid_url: 'is no address of a file',
  aborted: 'was not waited for',
};

/** A weak ETag serves too: what it says is the same to its server. */
function conditions(known: Validators | null): Record<string, string> {
  return {
    ...(known?.etag != null && { 'if-none-match': known.etag }),
    ...(known?.etag == null && known?.lastModified != null && { 'if-modified-since': known.lastModified }),
  };
}

async function outcomeOf(
  { status, headers, body }: OutboundStream,
  url: URL,
  path: string,
  onBytes: () => void,
): Promise<Outcome> {
  const header = (name: string): string | null => [headers[name]].flat()[0]?.slice(0, 1_000) ?? null;
  if (status === 304) return { state: 'unchanged' };
  if ([301, 302, 303, 307, 308].includes(status)) return redirectOf(header('location'), url);
  if (status !== 200) return { state: 'fault', fault: refusalOf(status) };
  if (/^text\/html\b/i.test(header('content-type') ?? ''))
    return {
      state: 'fault',
      fault: 'is a web page and no file: give the address of the file itself (it may need credentials)',
    };
  if (Number(header('content-length') ?? 0) > MAX_BYTES) return { state: 'fault', fault: FAILURES.too_large };
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new OutboundFailure('too_large', 'Too large');
      onBytes();
      yield chunk;
    }
  }
  try {
    await pipeline(Readable.from(counted()), createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    return { state: 'fault', fault: 'does not fit on the disk: name a larger folder in TMPDIR' };
  }
  if (bytes === 0) return { state: 'fault', fault: 'is empty' };
  return { state: 'fetched', validators: { etag: header('etag'), lastModified: header('last-modified') } };
}

function redirectOf(location: string | null, from: URL): Outcome {
  const to = location === null ? null : URL.parse(location, from);
  if (to === null || !['http:', 'https:'].includes(to.protocol))
    return { state: 'fault', fault: 'redirects to no address' };
  if (from.protocol === 'https:' && to.protocol === 'http:')
    return {
      state: 'fault',
      fault: 'redirects from https to plain http, which anybody on the way could change',
    };
  to.username = '';
  to.password = '';
  to.hash = '';
  return { state: 'redirect', to };
}

function refusalOf(status: number): string {
  if (status === 401 || status === 403)
    return `refuses the request (${status}): it wants other credentials (--header-from)`;
  if (status === 404 || status === 410) return `has no such file (${status})`;
  if (status === 429) return 'was asked too often (429): try again later, or less often';
  return `answers with status ${status}`;
}
