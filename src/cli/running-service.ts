// The service that runs with the same settings, as commands ask it over HTTP.

import type { Config } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { createOutbound, type OutboundAnswer } from '../lib/outbound.ts';
import { OutboundFailure } from '../lib/outbound-failure.ts';

/** Milliseconds. */
const TIMEOUT = 5_000;
const MAX_BYTES = 100_000;

/** What the service answers to GET; null if nothing answers at its address, or another program does. */
export async function askRunningService(
  { host, port }: Pick<Config, 'host' | 'port'>,
  path: string,
): Promise<OutboundAnswer | null> {
  if (port === 0) return null;
  const address =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const outbound = createOutbound({ clock: systemClock });
  try {
    const answer = await outbound.send({
      url: `http://${address}:${port}${path}`,
      deadlineMs: TIMEOUT,
      maxBytes: MAX_BYTES,
    });
    // Every answer of Freehold has one.
    return answer.headers['x-request-id'] === undefined ? null : answer;
  } catch (error) {
    if (error instanceof OutboundFailure) return null;
    throw error;
  } finally {
    await outbound.close();
  }
}
