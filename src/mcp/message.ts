// Messages of JSON-RPC, as far as access rules, the log and handlers read them.

import { Problem } from '../lib/problem.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Message {
  /** Empty: a response, or nothing that the protocol knows. */
  readonly method: string;
  readonly params: Json;
}

/** Reads a parsed body. Throws INVALID_REQUEST for a batch, which could hide calls from the limits. */
export function readMessage(body: unknown): Message {
  if (Array.isArray(body))
    throw new Problem('INVALID_REQUEST', 'Send one message in each request: batches are not supported.');
  const { method, params } = asObject(body);
  return { method: typeof method === 'string' ? method : '', params: asObject(params) };
}

/** The URIs that a `subscriptions/listen` asks for; none if it has no list of texts. */
export function requestedUris({ params }: Message): readonly string[] {
  const { resourceSubscriptions } = asObject(params.notifications);
  if (!Array.isArray(resourceSubscriptions)) return [];
  return resourceSubscriptions.filter((uri): uri is string => typeof uri === 'string');
}

/** The body of a `subscriptions/listen` with other URIs. */
export function withUris(body: unknown, uris: readonly string[]): Record<string, unknown> {
  const message = asObject(body);
  const params = asObject(message.params);
  const notifications = { ...asObject(params.notifications), resourceSubscriptions: uris };
  return { ...message, params: { ...params, notifications } };
}

/** The value if it is an object, else an empty one. */
export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
