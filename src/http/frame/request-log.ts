// Request log: a log line and a duration metric for each finished request.

import type { Clock } from '../../lib/clock.ts';
import { type Log, withoutQueryValues } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Problem } from '../../lib/problem.ts';
import { type ActiveRequest, pathOf } from './active-request.ts';
import type { Phases } from './route.ts';

export interface RequestLog<Caller> {
  /** Records a finished request, with the problem of its response if any. */
  answered(active: ActiveRequest<Caller>): void;
  /** Records a request that could not be parsed. */
  refused(requestId: string, problem: Problem): void;
}

/** The URL for the log: parameter names without values, and no query at all if the route parses its own. */
function loggedUrl<Caller>({ endpoint, url }: ActiveRequest<Caller>): string {
  const address = withoutQueryValues(url);
  return endpoint.route.ownQuery === true ? pathOf(address) : address;
}

export function createRequestLog<Caller>(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly phases: Phases<Caller>;
}): RequestLog<Caller> {
  const { clock, log, metrics, phases } = options;
  const durations = metrics.durations(
    'freehold_http_request_duration_seconds',
    'Time from the head of a request to the end of its response.',
    ['method', 'route', 'status'],
  );
  const refusals = metrics.counter(
    'freehold_http_refused_total',
    'Requests refused before routing: malformed, too large or too slow.',
    ['code'],
  );
  const ofMethod = memoize((method: string) =>
    memoize((route: string) =>
      memoize((status: number) => durations.labels({ method, route, status: String(status) })),
    ),
  );
  return {
    answered(active) {
      const { request, response, problem } = active;
      const { path } = active.endpoint.route;
      const method = request.method ?? '';
      const status = response.statusCode;
      const ms = clock.monotonic() - active.startedAt;
      ofMethod(method)(path)(status).observe(ms / 1000);
      const level = status < 400 && active.endpoint.route.isProbe === true ? 'debug' : 'info';
      if (problem === null && !log.isLevelEnabled(level)) return;
      const line = {
        requestId: active.requestId,
        method,
        route: path,
        url: loggedUrl(active),
        status,
        ms: Math.round(ms * 1000) / 1000,
        ...(active.isIdentified && phases.describe?.(active.caller)),
        ...active.notes,
        ...(problem !== null && { code: problem.code }),
      };
      const cause = problem?.cause;
      if (problem !== null && problem.status >= 500) log.error({ ...line, cause }, problem.message);
      else log[level](cause === undefined ? line : { ...line, cause }, 'answered');
    },
    refused(requestId, problem) {
      refusals.inc({ code: problem.code });
      log.info({ requestId, status: problem.status, code: problem.code, cause: problem.cause }, 'refused');
    },
  };
}

/** Caches a function of few distinct arguments. */
function memoize<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const cache = new Map<Key, Value>();
  return (key) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const value = make(key);
    cache.set(key, value);
    return value;
  };
}
