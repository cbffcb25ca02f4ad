// Photos of a pushed listing: read, checked, stored, and removed.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PUSH } from '../access/tiers/tiers.ts';
import { readBody } from '../http/input/body-stream.ts';
import type { Reply } from '../http/output/reply.ts';
import { listingId } from '../ingest/identity.ts';
import type { UploadChange } from '../ingest/pictures/change-uploads.ts';
import { Bulkhead, BulkheadFull } from '../lib/bulkhead.ts';
import { Problem } from '../lib/problem.ts';
import { FORMATS, type ImageFormat } from '../media/pictures/image-head.ts';
import type { Transaction } from '../postgres/client/database.ts';
import type { PushContext } from './push-parts.ts';
import { holdToken } from './push-store.ts';
import { notStored, tokenEnded } from './write-messages.ts';

interface PhotoParams {
  readonly key: string;
  readonly number: number;
}

export interface PhotoRequest {
  readonly request: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly signal: AbortSignal;
}

/** Photos that a process takes at once: each is in memory. */
const uploads = new Bulkhead({ maxConcurrent: 4, maxQueue: 0 });
/** Milliseconds for a transaction that waits for other messages about the same listing, and for the disk. */
const TIMEOUT = 30_000;

/** Throws INVALID_BODY, OVERLOADED, RATE_LIMITED, LISTING_NOT_FOUND. What is answered 2xx is on the disk. */
export async function putPhoto(
  context: PushContext,
  { key, number }: PhotoParams,
  { request, headers, signal }: PhotoRequest,
): Promise<Reply> {
  const { sender, pushLimit, photos } = context;
  const size = Number(headers['content-length'] ?? PUSH.photoBytes);
  const refusal = pushLimit.takeRecord(sender.id, size);
  if (refusal !== null) throw refusal;
  try {
    // A client that leaves does not stop what is being stored.
    return await uploads.run(new AbortController().signal, async () => {
      const file = await readPhoto(context, request);
      const photo = await photos.check(file, formatOf(headers), signal);
      const listing = listingId(sender.id, key);
      const change = await changePhotos(context, (tx) => photos.put(tx, { listing, number }, photo));
      return replyOf(context, { key, number }, change);
    });
  } catch (error) {
    if (!(error instanceof BulkheadFull)) throw error;
    throw new Problem(
      'OVERLOADED',
      'Too many photos are being uploaded at the moment. Send it again in a second.',
      {
        headers: { 'retry-after': '1', connection: 'close' },
      },
    );
  }
}

/** Throws LISTING_NOT_FOUND. */
export async function deletePhoto(context: PushContext, { key, number }: PhotoParams): Promise<Reply> {
  const { sender, pushLimit, photos } = context;
  const refusal = pushLimit.takeRecord(sender.id, 0);
  if (refusal !== null) throw refusal;
  const listing = listingId(sender.id, key);
  const change = await changePhotos(context, (tx) => photos.remove(tx, { listing, number }));
  return replyOf(context, { key, number }, change);
}

async function readPhoto({ clock }: PushContext, request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readBody(request, { clock, maxBytes: PUSH.photoBytes })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** One of ours: the frame has refused others, but for an empty body. */
const formatOf = ({ 'content-type': type = '' }: IncomingHttpHeaders): ImageFormat =>
  FORMATS.find((format) => type.toLowerCase().startsWith(`image/${format}`)) ?? 'jpeg';

async function changePhotos(
  { database, sender, untilSearched }: PushContext,
  work: (tx: Transaction) => Promise<UploadChange | null>,
): Promise<UploadChange> {
  const change = await database.transaction(
    async (tx) => {
      if (!(await holdToken(tx, sender.id, sender.token))) throw tokenEnded();
      return work(tx);
    },
    { timeout: TIMEOUT },
  );
  if (change === null) throw notStored();
  if (change.result !== 'unchanged') await untilSearched();
  return change;
}

function replyOf(
  { sender }: PushContext,
  { key, number }: PhotoParams,
  { result, version }: UploadChange,
): Reply {
  const id = listingId(sender.id, key);
  return {
    status: result === 'created' ? 201 : 200,
    json: { object: 'push_photo_result', key, number, result, id, version },
  };
}
