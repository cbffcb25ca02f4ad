// Senders for tests: a source with its token, records, and requests that push them.

import type { Database } from '../../../src/postgres/client/database.ts';
import type { PushSettings } from '../../../src/sources/registry/registry-store.ts';
import { createPushSource } from '../../../src/sources/registry/set-up.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of JSON. */
  readonly json: Readonly<Record<string, never>> & {
    readonly code?: string;
    readonly result?: string;
    readonly version?: number;
    readonly errors?: readonly {
      readonly pointer: string;
      readonly detail: string;
      readonly suggestion?: string;
    }[];
  };
}

/** One line of the answer to a batch. */
export interface Line {
  readonly index: number;
  readonly key: string | null;
  readonly result: string;
  readonly version?: number;
  readonly problem?: Answer['json'];
}

export interface Sender {
  readonly id: string;
  readonly token: string;
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  put(key: string, record: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends records as JSON lines; gives the lines of the answer. */
  batch(
    records: readonly unknown[],
    query?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Line[]>;
}

/** Creates a source and its sender. */
export async function createSender(
  at: { readonly url: string; readonly database: Database },
  id: string,
  settings: PushSettings = {},
): Promise<Sender> {
  const token = await createPushSource(at.database, { id, name: id, kind: 'push' }, settings);
  return senderOf(at.url, id, token);
}

export function senderOf(url: string, id: string, token: string): Sender {
  const send: Sender['send'] = async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const answer = await fetch(`${url}/v1/sources/${id}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: (isText ? body : JSON.stringify(body)) as string }),
    });
    const text = await answer.text();
    const isJson = /^application\/(?:problem\+)?json/.test(answer.headers.get('content-type') ?? '');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: (isJson ? JSON.parse(text) : {}) as Answer['json'],
    };
  };
  return {
    id,
    token,
    send,
    put: (key, record, headers) => send('PUT', `/listings/${encodeURIComponent(key)}`, record, headers),
    async batch(records, query = '', headers = {}) {
      const body = records
        .map((record) => (typeof record === 'string' ? record : JSON.stringify(record)))
        .join('\n');
      const { status, text } = await send('POST', `/listings${query}`, body, {
        'content-type': 'application/x-ndjson',
        ...headers,
      });
      if (status !== 200) throw new Error(`The batch was answered ${status}: ${text}`);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
    },
  };
}

/** A whole record, with changes. */
export const record = (change: object = {}): Record<string, unknown> => ({
  listingType: 'sale',
  status: 'ACTIVE',
  propertyType: 'CONDO',
  currency: 'USD',
  listPrice: 400_000,
  bedrooms: 2,
  address: { city: 'Springfield', state: 'IL', country: 'US', streetNumber: '12', streetName: 'Oak Street' },
  location: { lat: 39.8, lng: -89.6 },
  ...change,
});
