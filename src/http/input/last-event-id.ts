// Last-Event-ID of a client that reconnects to an event stream: a header, or a parameter where a client cannot set headers.

import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { Problem } from '../../lib/problem.ts';

/** Polyfills of EventSource that cannot set the header append this parameter when they reconnect. */
export const lastEventIdParameter = Type.Optional(
  Type.String({
    maxLength: 200,
    description:
      'As the header `Last-Event-ID`, for clients that cannot set it. If both are sent, the header counts.',
  }),
);

/** The id of the last event that a client received, with the name of what carried it. */
export interface LastEventId {
  readonly id: string;
  readonly name: 'Last-Event-ID' | 'lastEventId';
}

/** From the header, else from the parameter; null if neither has a value. Throws INVALID_REQUEST for a repeated header. */
export function readLastEventId(
  { 'last-event-id': header }: IncomingHttpHeaders,
  parameter: string | null | undefined,
): LastEventId | null {
  if (Array.isArray(header))
    throw new Problem('INVALID_REQUEST', 'The header Last-Event-ID was sent more than once; send it once.');
  if (header !== undefined && header !== '') return { id: header, name: 'Last-Event-ID' };
  return parameter ? { id: parameter, name: 'lastEventId' } : null;
}

/** The same, before the query of the URL is validated. */
export function readLastEventIdOfUrl(headers: IncomingHttpHeaders, url: string): LastEventId | null {
  const query = url.indexOf('?');
  const sent = query < 0 ? null : new URLSearchParams(url.slice(query)).get('lastEventId');
  return readLastEventId(headers, sent);
}
