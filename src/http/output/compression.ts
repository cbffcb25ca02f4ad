// Response compression: choice of the encoding, and encoding of bodies and chunks.

import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';
import { joinVary } from './reply.ts';

/** Content codings in the order of preference. */
const ENCODINGS = ['br', 'zstd', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Minimum size in bytes for which compression pays. */
const MIN_BYTES = 1_024;
const MAX_CODINGS = 32;
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*json|x-ndjson|yaml|javascript)|image\/svg)/;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

const COMPRESS: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  zstd: (bytes) => promisify(zstdCompress)(bytes, ZSTD),
  gzip: (bytes) => promisify(gzip)(bytes),
};

const STREAMS: Readonly<Record<Encoding, () => ReturnType<typeof createGzip>>> = {
  br: () => createBrotliCompress(BROTLI),
  zstd: () => createZstdCompress(ZSTD),
  gzip: () => createGzip(),
};

/**
 * Chooses the encoding of a response and completes its headers: Vary if another client could get another encoding, and
 * for a compressed one Content-Encoding and a weak entity tag, since its bytes differ. Null: uncompressed, which no-store
 * responses always are: they hold tokens and forms, which the length of compressed bytes could reveal.
 * @param size in bytes; null: not known yet
 */
export function chooseEncoding(
  headers: Record<string, string>,
  acceptEncoding: string | string[] | undefined,
  size: number | null,
): Encoding | null {
  if (size !== null && size < MIN_BYTES) return null;
  const isSecret = /no-store|no-transform/.test(headers['cache-control'] ?? '');
  const isCompressible = COMPRESSIBLE.test(headers['content-type'] ?? '');
  if (isSecret || !isCompressible || headers['content-encoding'] !== undefined) return null;
  headers.vary = joinVary(headers.vary, 'accept-encoding') ?? '';
  const encoding = negotiateEncoding(String(acceptEncoding ?? ''));
  if (encoding === null) return null;
  headers['content-encoding'] = encoding;
  if (headers.etag?.startsWith('"')) headers.etag = `W/${headers.etag}`;
  return encoding;
}

/** The best encoding under an Accept-Encoding header (RFC 9110, 12.5.3); null: none. */
export function negotiateEncoding(acceptEncoding: string): Encoding | null {
  if (acceptEncoding === '') return null;
  const codings = new Map(acceptEncoding.toLowerCase().split(',', MAX_CODINGS).map(parseCoding));
  const qualityOf = (name: string): number => codings.get(name) ?? codings.get('*') ?? 0;
  const best = ENCODINGS.reduce((a, b) => (qualityOf(b) > qualityOf(a) ? b : a));
  const isWanted = qualityOf(best) > 0 && qualityOf(best) >= (codings.get('identity') ?? 0);
  return isWanted ? best : null;
}

function parseCoding(text: string): [name: string, quality: number] {
  const [name = '', weight] = text.split(';').map((part) => part.trim());
  if (weight === undefined) return [name, 1];
  const [, digits] = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(weight) ?? [];
  return [name, Number(digits ?? 0)];
}

export function compress(body: string | Uint8Array, encoding: Encoding): Promise<Buffer> {
  return COMPRESS[encoding](Buffer.from(body));
}

/** Compresses chunks as one stream, flushed after each so that the client can read it at once. */
export async function* compressChunks(
  chunks: AsyncIterable<string>,
  encoding: Encoding,
): AsyncGenerator<Buffer> {
  const stream = STREAMS[encoding]();
  const written: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => written.push(bytes));
  const takeWritten = (): Buffer => Buffer.concat(written.splice(0));
  const { promise: failed, reject } = Promise.withResolvers<never>();
  stream.once('error', reject);
  try {
    for await (const chunk of chunks) {
      stream.write(chunk);
      await Promise.race([new Promise<void>((resolve) => stream.flush(resolve)), failed]);
      yield takeWritten();
    }
    await Promise.race([new Promise<void>((resolve) => stream.once('end', resolve).end()), failed]);
    yield takeWritten();
  } finally {
    stream.destroy();
  }
}
