// Owns what is told of each request once it is answered: one log line and one measurement.

import type { Clock } from '../../lib/clock.ts';
import { type Log, withoutQueryValues } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Problem } from '../../lib/problem.ts';
import { type Exchange, pathOf } from './exchange.ts';
import type { Phases } from './route.ts';

export interface Reporter<Caller> {
  /** Tells of an answered request; `problem` where the answer was one. */
  answered(exchange: Exchange<Caller>, problem?: Problem): void;
  /** Tells of a request that never became an exchange. */
  refused(requestId: string, problem: Problem): void;
}

/** What is told of an address: names of parameters where they are ours, and no query where it is not read by our rules. */
function loggedUrl<Caller>({ plan, url }: Exchange<Caller>): string {
  const address = withoutQueryValues(url);
  return plan.route.ownQuery === true ? pathOf(address) : address;
}

export function createReporter<Caller>(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly phases: Phases<Caller>;
}): Reporter<Caller> {
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
  const ofMethod = remembering((method: string) =>
    remembering((route: string) =>
      remembering((status: number) => durations.bind({ method, route, status: String(status) })),
    ),
  );
  return {
    answered(exchange, problem) {
      const { request, response, plan } = exchange;
      const method = request.method ?? '';
      const status = response.statusCode;
      const ms = clock.monotonic() - exchange.startedAt;
      ofMethod(method)(plan.route.path)(status)(ms / 1000);
      if (problem === undefined && !log.isLevelEnabled('info')) return;
      const line = {
        requestId: exchange.requestId,
        method,
        route: plan.route.path,
        url: loggedUrl(exchange),
        status,
        ms: Math.round(ms * 1000) / 1000,
        ...(exchange.identified && phases.describe?.(exchange.caller)),
        ...(problem !== undefined && { code: problem.code }),
      };
      const cause = problem?.cause;
      if (problem !== undefined && problem.status >= 500) log.error({ ...line, cause }, problem.message);
      else log.info(cause === undefined ? line : { ...line, cause }, 'answered');
    },
    refused(requestId, problem) {
      refusals.inc({ code: problem.code });
      log.info({ requestId, status: problem.status, code: problem.code, cause: problem.cause }, 'refused');
    },
  };
}

/** The function, asked once only for each of its few arguments: no text has to be put together to look one up. */
function remembering<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const present = known.get(key);
    if (present !== undefined) return present;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
