// HTTP transport to the upstream server, with its failures by name.

import type { Outbound } from '../../../lib/outbound.ts';
import { OutboundFailure } from '../../../lib/outbound-failure.ts';
import { LiveError } from '../../source.ts';

export interface UpstreamRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of the answer, counted unpacked. */
  readonly largest: number;
  readonly signal: AbortSignal;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The signal carries the caller's deadline; this only bounds what no one waits for any more. */
const LAST_RESORT = 60_000;

/** Sends one request and reads the whole answer, whatever its status. Throws LiveError. */
export async function exchange(
  outbound: Outbound,
  { largest, ...outgoing }: UpstreamRequest,
): Promise<UpstreamAnswer> {
  try {
    const { status, headers, body } = await outbound.send({
      ...outgoing,
      deadlineMs: LAST_RESORT,
      maxBytes: largest,
    });
    return { status, headers, text: body.toString('utf8') };
  } catch (cause) {
    throw named(cause);
  }
}

function named(cause: unknown): LiveError {
  switch (cause instanceof OutboundFailure ? cause.kind : null) {
    case 'timeout':
    case 'aborted':
      return new LiveError('timeout', 'The source did not answer in time.', { cause });
    case 'too_large':
      return new LiveError('parse_failed', 'The source answered with more than it may.', { cause });
    case 'malformed':
      return new LiveError('parse_failed', 'The source answered with something that cannot be read.', {
        cause,
      });
    default:
      return new LiveError('fetch_failed', 'The source could not be reached, or broke off.', { cause });
  }
}
