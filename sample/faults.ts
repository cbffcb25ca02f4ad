// Deliberate faults: which requests are hit, and how the answer is spoiled.
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, json, odataError, write } from './answer.ts';
import { mix } from './random.ts';

export const FAULT_KINDS = [
  'status',
  'reset',
  'truncated',
  'malformed',
  'wrong_id',
  'drip',
  'huge',
  'redirect',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export const FAULT_RESOURCES = ['all', 'entity', 'collection', 'token'] as const;
export type FaultResource = (typeof FAULT_RESOURCES)[number];

/** What a request asks for, as faults and statistics distinguish requests. */
export type RequestKind =
  | 'token'
  | 'collection'
  | 'entity'
  | 'metadata'
  | 'lookup'
  | 'photos'
  | 'areas'
  | 'other';

export interface Fault {
  /** null: only slow. */
  readonly kind: FaultKind | null;
  readonly status: number | null;
  readonly latencyMs: number;
  /** Seconds of the Retry-After of a 429 or 503. */
  readonly retryAfter: number;
  /** Part of the requests that are hit, 0 to 1. */
  readonly share: number;
  readonly resource: FaultResource;
}

export class FaultSwitch {
  #fault: Fault | null = null;
  #drawn = 0;

  get fault(): Fault | null {
    return this.#fault;
  }

  set(fault: Fault | null): void {
    this.#fault = fault;
    this.#drawn = 0;
  }

  /** The fault that hits this request, or null. Which ones are hit depends on their order alone. */
  draw(kind: RequestKind): Fault | null {
    const fault = this.#fault;
    if (!fault || !concerns(fault.resource, kind)) return null;
    this.#drawn += 1;
    return mix(this.#drawn) / 4294967296 < fault.share ? fault : null;
  }
}

function concerns(resource: FaultResource, kind: RequestKind): boolean {
  switch (resource) {
    case 'token':
      return kind === 'token';
    case 'entity':
      return kind === 'entity';
    case 'collection':
      return kind === 'collection' || kind === 'lookup';
    default:
      return kind === 'entity' || kind === 'collection' || kind === 'lookup' || kind === 'metadata';
  }
}

export const RETRY_AFTER = 7;
const HUGE_BYTES = 100 * 1024 * 1024;

/**
 * Writes an answer the way the fault would have it. `impostor` is the answer to the same question about another
 * listing. Resolves when nothing more will be sent.
 */
export async function writeFaulty(
  response: ServerResponse,
  answer: Answer,
  fault: Fault,
  impostor: () => Answer,
): Promise<void> {
  if (fault.latencyMs > 0) {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await pause(fault.latencyMs, undefined, { signal: gone.signal }).catch(() => undefined);
  }
  if (response.destroyed) return;
  switch (fault.kind) {
    case null:
      return write(response, answer);
    case 'status':
      return write(response, statusAnswer(fault.status ?? 500, fault.retryAfter));
    case 'redirect':
      return write(response, { status: 302, headers: { Location: '/odata/moved' }, body: '' });
    case 'malformed':
      return write(response, {
        ...answer,
        status: 200,
        body: `${textOf(answer).slice(0, Math.max(1, answer.body.length >> 1))},,`,
      });
    case 'wrong_id':
      return write(response, impostor());
    case 'truncated':
      return cutShort(response, answer);
    case 'reset':
      return reset(response, answer);
    case 'drip':
      return drip(response, answer);
    default:
      return flood(response);
  }
}

function statusAnswer(status: number, retryAfter: number): Answer {
  const retry: Record<string, string> =
    status === 429 || status === 503 ? { 'Retry-After': String(retryAfter) } : {};
  if (status === 204 || status === 304) return { status, headers: {}, body: '' };
  if (status < 300) return json(status, {}, retry);
  return odataError(status, String(status), 'A fault was asked for', retry);
}

const textOf = ({ body }: Answer): string => Buffer.from(body).toString();
const half = (answer: Answer): string => textOf(answer).slice(0, answer.body.length >> 1);

/** Promises the whole body, sends half of it and closes in good order. */
function cutShort(response: ServerResponse, answer: Answer): Promise<void> {
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': Buffer.byteLength(answer.body) });
  return new Promise((resolve) => {
    response.write(half(answer), () => {
      response.socket?.end();
      resolve();
    });
  });
}

function reset(response: ServerResponse, answer: Answer): Promise<void> {
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': Buffer.byteLength(answer.body) });
  return new Promise((resolve) => {
    response.write(half(answer), () => {
      response.socket?.resetAndDestroy();
      resolve();
    });
  });
}

/** One byte a second until the body or the reader gives up. */
async function drip(response: ServerResponse, answer: Answer): Promise<void> {
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': bytes.length });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (let at = 0; at < bytes.length && !response.destroyed; at += 1) {
    response.write(bytes.subarray(at, at + 1));
    await pause(1000, undefined, { signal: gone.signal }).catch(() => undefined);
  }
  response.end();
}

/** A hundred megabytes of well-formed JSON, no faster than the reader takes them. */
async function flood(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
  const line = Buffer.from(`{"ListingKey":"${'0'.repeat(16_000)}"},\n`);
  response.write('{"value":[');
  for (let sent = 0; sent < HUGE_BYTES && !response.destroyed; sent += line.length) {
    if (!response.write(line)) await drained(response);
  }
  if (!response.destroyed) response.end('{}]}');
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
