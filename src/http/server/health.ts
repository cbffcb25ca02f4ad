// Health endpoints: /livez, /readyz and /metrics.

import { Type } from 'typebox';
import { type Clock, pause } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { Problem } from '../../lib/problem.ts';
import { rememberFor } from '../../lib/single-flight.ts';
import { NOTHING_HERE } from '../frame/not-found.ts';
import { type Access, type Route, route } from '../frame/route.ts';
import type { Reply } from '../output/reply.ts';
import { type MetricsAccess, metricsAccess } from './metrics-access.ts';

/** One thing the service depends on. */
export interface HealthCheck {
  readonly name: string;
  /** Whether the service is unready without it. A dead upstream is told of, but no reason to stop serving. */
  readonly required: boolean;
  /** Resolves where all is well, perhaps with a remark. Of what it throws, only a Problem's sentence is shown. */
  check(): Promise<string | undefined>;
}

export interface HealthOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly checks: readonly HealthCheck[];
  readonly isDraining: () => boolean;
  readonly metricsAccess: MetricsAccess;
  /** Where the service is reached: what is public trusts nobody for being on the same machine. */
  readonly publicUrl: string;
}

interface Finding {
  readonly name: string;
  readonly required: boolean;
  readonly ok: boolean;
  readonly detail?: string;
}

const CHECK_DEADLINE_MS = 2_000;
/** Checks cost the database a query and need no credentials: so they are asked at most once in this time. */
const FINDINGS_KEPT_MS = 1_000;

const FREE: Access = { credentials: 'none', counts: 'nothing' };
const NEVER_STORED = { 'cache-control': 'no-store' };

const Health = Type.Object(
  {
    status: Type.Enum(['ok', 'draining', 'unready']),
    checks: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          required: Type.Boolean(),
          ok: Type.Boolean(),
          detail: Type.Optional(Type.String()),
        }),
      ),
    ),
  },
  { $id: 'Health' },
);

/** The three routes. They are answered also while the service drains. */
export function healthRoutes<Caller>(options: HealthOptions): readonly Route<Caller>[] {
  const findings = rememberFor(FINDINGS_KEPT_MS, options.clock, () =>
    Promise.all(options.checks.map((check) => run(check, options.clock))),
  );
  const define = route<Caller>();
  const common = { method: 'GET', access: FREE, tag: 'Health', whileDraining: true } as const;
  return [
    define({
      ...common,
      path: '/livez',
      operation: 'getLiveness',
      summary: 'Check liveness',
      answer: { description: 'The process answers.', schema: Health },
      handle: () => ({ json: { status: 'ok' }, headers: NEVER_STORED }),
    }),
    define({
      ...common,
      path: '/readyz',
      operation: 'getReadiness',
      summary: 'Check readiness',
      query: Type.Object({
        verbose: Type.Boolean({ default: false, flag: true, description: 'Report every check.' }),
      }),
      answer: { description: 'The service is ready.', schema: Health },
      alsoAnswers: {
        503: 'The service is not ready (`checks` says why), or it is shutting down.',
      },
      handle: async ({ query }) => readiness(await findings(), options.isDraining(), query.verbose),
    }),
    define({
      ...common,
      path: '/metrics',
      operation: 'getMetrics',
      summary: 'Get metrics for Prometheus',
      description:
        'Open to the networks in METRICS_ALLOW, to callers that send METRICS_TOKEN as a Bearer credential, and, ' +
        'without either setting, to this machine while the service is not public.',
      accepts: ['text/plain', 'application/openmetrics-text'],
      answer: { description: 'Metrics in text format.', contentType: 'text/plain' },
      alsoAnswers: { 404: 'The client may not read metrics.' },
      handle: metricsHandler(options),
    }),
  ];
}

function readiness(findings: readonly Finding[], draining: boolean, verbose: boolean): Reply {
  const ready = !draining && findings.every(({ ok, required }) => ok || !required);
  const status = draining ? 'draining' : ready ? 'ok' : 'unready';
  // Whoever waits for readiness is told without asking what it waits for.
  const missing = findings.filter(({ ok, required }) => required && !ok);
  const checks = verbose ? findings : missing;
  return {
    status: ready ? 200 : 503,
    headers: NEVER_STORED,
    json: { status, ...((verbose || checks.length > 0) && { checks }) },
  };
}

async function run({ name, required, check }: HealthCheck, clock: Clock): Promise<Finding> {
  const timeout = new AbortController();
  try {
    const late = pause(clock, CHECK_DEADLINE_MS, timeout.signal).then(() => {
      if (!timeout.signal.aborted) throw new Problem('REQUEST_TIMEOUT', 'The check timed out.');
    });
    const remark = await Promise.race([check(), late]);
    return { name, required, ok: true, ...(typeof remark === 'string' && { detail: remark }) };
  } catch (error) {
    return { name, required, ok: false, detail: error instanceof Problem ? error.message : 'failed' };
  } finally {
    timeout.abort();
  }
}

function metricsHandler({
  metrics,
  metricsAccess: access,
  publicUrl,
}: HealthOptions): Route<unknown>['handle'] {
  const mayRead = metricsAccess(access, publicUrl);
  return async (call) => {
    if (!mayRead(call)) throw new Problem('NOT_FOUND', NOTHING_HERE);
    const { contentType, text } = await metrics.read();
    return { text, headers: { ...NEVER_STORED, 'content-type': contentType } };
  };
}
