// Owns the web server: Fastify set up so that nothing is silently ignored, and every answer written by one hand.

import type { Server } from 'node:http';
import { type FastifyHttpOptions, type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { addressReader } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { parseJson, withoutNames } from './body.ts';
import { answerClientError, answerOddRequests } from './client-errors.ts';
import { Dispatcher } from './dispatch.ts';
import { Drain } from './drain.ts';
import { parseForm } from './form.ts';
import { type HealthOptions, healthRoutes } from './health.ts';
import type { Describe } from './openapi.ts';
import { openapiRoute } from './openapi-route.ts';
import type { Json } from './openapi-schemas.ts';
import { methodsOf, type Plan, placeFinder, planRoute } from './plan.ts';
import { createReporter } from './report.ts';
import { newRequestId } from './request-id.ts';
import type { BodyType, Phases, Route } from './route.ts';

/** Bounds of time and size; each default can be replaced. */
export interface Limits {
  /** Largest body. Default 1 MiB. */
  readonly bodyBytes: number;
  /** Largest head of a request. Default 16 KiB. */
  readonly headerBytes: number;
  /** Time for the head to arrive. Default 10 s. */
  readonly headersTimeoutMs: number;
  /** Time for the whole request to arrive. Default 10 s. */
  readonly requestTimeoutMs: number;
  /** How long an idle connection is kept. Default 65 s, longer than the usual proxy keeps it. */
  readonly keepAliveTimeoutMs: number;
  /** How long connections are kept at least once the process is leaving, for their clients to hear of it. Default 0. */
  readonly lingerMs: number;
  /** How often the two timeouts for arrival are checked. Default 1 s. */
  readonly checkIntervalMs: number;
}

const NO_QUERY = Object.freeze({});
const JSON_BODY: BodyType = 'application/json';
const FORM_BODY: BodyType = 'application/x-www-form-urlencoded';

const LIMITS: Limits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 65_000,
  lingerMs: 0,
  checkIntervalMs: 1_000,
};

export interface ServerOptions<Caller> {
  readonly routes: readonly Route<Caller>[];
  readonly phases: Phases<Caller>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Where the service is reached from outside, without a slash at the end. */
  readonly publicUrl: string;
  /** Networks of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  readonly limits?: Partial<Limits>;
  readonly health: Pick<HealthOptions, 'checks' | 'metricsAllow'>;
  /** What the OpenAPI document says; its server is `publicUrl`. */
  readonly describe: Omit<Describe, 'server'>;
}

export interface WebServer {
  /** The OpenAPI document of all routes, those of health included. */
  readonly openapi: Json;
  /** Starts to listen; gives the port, which matters where 0 was asked for. */
  listen(host: string, port: number): Promise<number>;
  /** Stops without losing anything under way, in at most 15 s. */
  drain(): Promise<void>;
  /** Stops at once: connections are cut. */
  close(): Promise<void>;
}

/** Wires routes and phases into a server. Throws where two routes collide or a schema cannot be served. */
export function createServer<Caller>(options: ServerOptions<Caller>): WebServer {
  const { phases, clock, metrics, publicUrl } = options;
  const drain = new Drain();
  const { routes, openapi } = withOwnRoutes(options, drain);
  const dispatcher = new Dispatcher<Caller>({
    ...{ phases, clock, publicUrl, drain },
    readAddress: addressReader(options.trustedProxies ?? []),
    placeAt: placeFinder(routes),
    reporter: createReporter(options),
  });
  metrics.gauge('freehold_http_active', 'Requests and streams under way.', () => drain.active);
  metrics.gauge('freehold_http_streams', 'Event streams that are open.', () => dispatcher.streams);
  const limits = { ...LIMITS, ...options.limits };
  const app = fastify(serverOptions(limits, dispatcher, publicUrl));
  // The name of a peer is a question to the system: asked while nothing waits for the answer, and remembered by the socket.
  app.server.on('connection', ({ remoteAddress }) => void remoteAddress);
  answerOddRequests(app.server, publicUrl, newRequestId);
  readBodies(app, dispatcher);
  app.addHook('onRequest', dispatcher.stray);
  app.setNotFoundHandler(dispatcher.unreachable);
  app.setErrorHandler(dispatcher.failed);
  for (const route of routes) register(app, dispatcher, planRoute(route, publicUrl));
  return { openapi, ...serve(app, () => drain.run(app.server, clock, limits.lingerMs)) };
}

/** The features' routes and those that every service has: health, measurements and the description of all. */
function withOwnRoutes<Caller>(options: ServerOptions<Caller>, drain: Drain) {
  const { clock, metrics, health, publicUrl, describe } = options;
  const isDraining = () => drain.draining;
  const served = [...options.routes, ...healthRoutes<Caller>({ clock, metrics, isDraining, ...health })];
  const own = openapiRoute<Caller>(served, { ...describe, server: publicUrl });
  return { routes: [...served, own.route], openapi: own.document };
}

function serverOptions<Caller>(limits: Limits, dispatcher: Dispatcher<Caller>, publicUrl: string) {
  return {
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // A HEAD is served where its route says so, and draining is ours: Fastify would answer both in its own way.
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: false,
    // Query strings are read by the route's own strict parser; lengths are bounded by the path's schema.
    routerOptions: { querystringParser: () => NO_QUERY, maxParamLength: limits.headerBytes },
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        allErrors: false,
        keywords: ['aliases', 'caseInsensitive', 'separator', 'flag', 'missing'],
      },
    },
    frameworkErrors: dispatcher.misrouted,
    clientErrorHandler(error, socket) {
      const requestId = newRequestId();
      // The answer to an earlier request on this connection goes first.
      dispatcher.flush();
      const problem = answerClientError(error, socket, { publicUrl, requestId });
      if (problem !== null) dispatcher.reporter.refused(requestId, problem);
    },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      // Node answers a missing Host without a body; the shape check says what is wrong.
      requireHostHeader: false,
    },
  } satisfies FastifyHttpOptions<Server>;
}

/** Takes away the parsers that Fastify brings: text bodies are nobody's here, and its JSON parser is laxer. */
function readBodies<Caller>(app: FastifyInstance, dispatcher: Dispatcher<Caller>): void {
  const asBytes = { parseAs: 'buffer' } as const;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_BODY, asBytes, async (_request: FastifyRequest, body: Buffer) =>
    parseJson(body),
  );
  app.addContentTypeParser(FORM_BODY, asBytes, async (request: FastifyRequest, body: Buffer) =>
    parseForm(body, dispatcher.bodySchema(request)),
  );
}

function register<Caller>(app: FastifyInstance, dispatcher: Dispatcher<Caller>, plan: Plan<Caller>): void {
  const { route } = plan;
  const common = { method: [...methodsOf(route)], url: route.path };
  // Of a GET Fastify reads no body, so nothing has to happen before its handler.
  if (route.method === 'GET') {
    app.route({ ...common, handler: (request, reply) => dispatcher.run(plan, request, reply) });
    return;
  }
  app.route({
    ...common,
    ...(route.body !== undefined && route.ownBody !== true && { schema: { body: withoutNames(route.body) } }),
    ...(route.bodyBytes !== undefined && { bodyLimit: route.bodyBytes }),
    onRequest: (request, reply) => dispatcher.begin(plan, request, reply),
    handler: dispatcher.resume,
  });
}

function serve(app: FastifyInstance, drained: () => Promise<void>): Omit<WebServer, 'openapi'> {
  return {
    async listen(host, port) {
      await app.listen({ host, port });
      const address = app.server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    async drain() {
      await drained();
      await app.close();
    },
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
