// Script of the API reference: taken from its package when first requested, stored only as gzip.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzip } from 'node:zlib';
import type { RequestContext } from '../http/frame/route.ts';
import { isKnown, weakEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';

/** Names the very bytes of the script: a release never changes. */
export const SCALAR_VERSION = readVersion();

const YEAR = 31_536_000;
const TAG = weakEtag('scalar', SCALAR_VERSION);

let script: Promise<Uint8Array> | undefined;

/** Answers with the script. `v` is the version that the page asks for; under its own one it may be kept for a year. */
export async function scalarReply(
  { headers }: Pick<RequestContext<unknown>, 'headers'>,
  v: string | undefined,
): Promise<Reply> {
  const common = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': v === SCALAR_VERSION ? `public, max-age=${YEAR}, immutable` : 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
    etag: TAG,
  };
  if (isKnown(headers['if-none-match'], TAG)) return { status: 304, headers: common };
  const bytes = await readScript();
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers['accept-encoding'] ?? ''))) {
    return { bytes, headers: { ...common, 'content-encoding': 'gzip' } };
  }
  return { bytes: await promisify(gunzip)(bytes), headers: common };
}

/** The package holds the script as a string within a plugin of 4 MB, so a thread loads it and goes away again. */
function readScript(): Promise<Uint8Array> {
  script ??= extract().catch((error: unknown) => {
    script = undefined;
    throw error;
  });
  return script;
}

async function extract(): Promise<Uint8Array> {
  const worker = new Worker(new URL('./scalar-worker.ts', import.meta.url));
  try {
    const [bytes] = (await once(worker, 'message')) as [Uint8Array];
    return bytes;
  } finally {
    await worker.terminate();
  }
}

function readVersion(): string {
  const entry = import.meta.resolve('@scalar/fastify-api-reference');
  const text = readFileSync(new URL('../package.json', entry), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
