// Health endpoints: /livez, /readyz and /metrics, with the rule who may read metrics.

import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { type Clock, pause } from '../../lib/clock.ts';
import { isWithin, parseNetworks } from '../../lib/ip-address.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { Problem } from '../../lib/problem.ts';
import { equalSecrets } from '../../lib/secrets.ts';
import { cacheFor } from '../../lib/single-flight.ts';
import { NOTHING_HERE } from '../frame/not-found.ts';
import { type Access, type Route, route } from '../frame/route.ts';
import type { Reply } from '../output/reply.ts';

/** One thing the service depends on. */
export interface HealthCheck {
  readonly name: string;
  /** Whether the service is unready without it. A dead upstream is reported but does not stop serving. */
  readonly required: boolean;
  /** Resolves if healthy, perhaps with a remark. Of its errors, only the text of a Problem is shown. */
  check(): Promise<string | undefined>;
  /** What only callers see that may read metrics; undefined: nothing. */
  readonly forOperators?: () => Promise<string | undefined>;
}

export interface HealthOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly checks: readonly HealthCheck[];
  /** Checks of what comes and goes while the service runs; default: none. */
  readonly furtherChecks?: () => readonly HealthCheck[];
  readonly isDraining: () => boolean;
  /** Whether nothing stands behind the server, so that no check may be run. */
  readonly isSuspended: () => boolean;
  readonly metricsAccess: MetricsAccess;
  /** Public URL; a public service does not trust loopback callers by default. */
  readonly publicUrl: string;
}

interface Finding {
  readonly name: string;
  readonly required: boolean;
  readonly ok: boolean;
  readonly detail?: string;
  readonly operatorDetail?: string;
}

const CHECK_DEADLINE_MS = 2_000;
/** Milliseconds for which results are cached: checks query the database and need no credentials. */
const FINDINGS_KEPT_MS = 1_000;

const FREE: Access = { credentials: 'none', counts: 'nothing' };
const NEVER_STORED = { 'cache-control': 'no-store' };

const Health = Type.Object(
  {
    status: Type.Enum(['ok', 'draining', 'maintenance', 'unready']),
    checks: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          required: Type.Boolean(),
          ok: Type.Boolean(),
          detail: Type.Optional(Type.String()),
          operatorDetail: Type.Optional(
            Type.String({ description: 'Only callers that may read metrics see it.' }),
          ),
        }),
      ),
    ),
  },
  { $id: 'Health' },
);

/** The three routes, which respond during shutdown too. */
export function healthRoutes<Caller>(options: HealthOptions): readonly Route<Caller>[] {
  const findings = cacheFor(FINDINGS_KEPT_MS, options.clock, () =>
    Promise.all(
      [...options.checks, ...(options.furtherChecks?.() ?? [])].map((check) => run(check, options.clock)),
    ),
  );
  const isOperator = metricsAccess(options.metricsAccess, options.publicUrl);
  const define = route<Caller>();
  const common = { method: 'GET', access: FREE, tag: 'Health', whileDraining: true, isProbe: true } as const;
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
        503: 'The service is not ready (`checks` says why), under maintenance, or it is shutting down.',
      },
      handle: async (call) => {
        if (options.isSuspended())
          return { status: 503, headers: NEVER_STORED, json: { status: 'maintenance' } };
        const found = await findings();
        const shown = isOperator(call) ? found : found.map(({ operatorDetail: _, ...finding }) => finding);
        return readiness(shown, options.isDraining(), call.query.verbose);
      },
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
  // During shutdown no check is run.
  const missing = findings.filter(({ ok, required }) => required && !ok);
  const checks = verbose ? findings : missing;
  return {
    status: ready ? 200 : 503,
    headers: NEVER_STORED,
    json: { status, ...((verbose || checks.length > 0) && { checks }) },
  };
}

async function run(healthCheck: HealthCheck, clock: Clock): Promise<Finding> {
  const [finding, operatorDetail] = await Promise.all([
    runCheck(healthCheck, clock),
    withinDeadline(healthCheck.forOperators?.(), clock).catch(() => undefined),
  ]);
  return { ...finding, ...(typeof operatorDetail === 'string' && { operatorDetail }) };
}

async function runCheck({ name, required, check }: HealthCheck, clock: Clock): Promise<Finding> {
  try {
    const remark = await withinDeadline(check(), clock);
    return { name, required, ok: true, ...(typeof remark === 'string' && { detail: remark }) };
  } catch (error) {
    return { name, required, ok: false, detail: error instanceof Problem ? error.message : 'failed' };
  }
}

/** Throws the Problem of a check that takes too long. */
async function withinDeadline<T>(checked: Promise<T> | undefined, clock: Clock): Promise<T | undefined> {
  const timeout = new AbortController();
  try {
    const late = pause(clock, CHECK_DEADLINE_MS, timeout.signal).then(() => {
      if (!timeout.signal.aborted) throw new Problem('REQUEST_TIMEOUT', 'The check timed out.');
    });
    return (await Promise.race([checked, late])) ?? undefined;
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

export interface MetricsAccess {
  /** Networks that may read metrics. */
  readonly allow: readonly string[];
  /** Bearer token that grants access from anywhere; null: none. */
  readonly token: string | null;
}

/** Whether a request may read metrics. */
export type MayReadMetrics = (request: {
  readonly peer: string;
  readonly headers: IncomingHttpHeaders;
}) => boolean;

const LOOPBACK = ['127.0.0.0/8', '::1'];

/**
 * Loopback callers may read by default only while PUBLIC_URL is local. Behind a public URL they must be listed: a local
 * proxy that adds no header would make every client look local.
 */
export function metricsAccess({ allow, token }: MetricsAccess, publicUrl: string): MayReadMetrics {
  const networks = parseNetworks(isPublic(publicUrl) ? allow : [...allow, ...LOOPBACK]);
  return ({ peer, headers }) => {
    if (token !== null && hasToken(headers.authorization, token)) return true;
    const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
    return !isForwarded && isWithin(peer, networks);
  };
}

function isPublic(publicUrl: string): boolean {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  return host !== 'localhost' && !isWithin(host, parseNetworks(LOOPBACK));
}

function hasToken(authorization: string | undefined, token: string): boolean {
  const [, sent] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return sent !== undefined && equalSecrets(sent, token);
}
