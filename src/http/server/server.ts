// Web server: Node's HTTP server, Fastify, and the frame that serves all routes; start and stop.

import { createServer as createNodeServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { addressReader, isWithin, parseNetworks } from '../../lib/ip-address.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Problem } from '../../lib/problem.ts';
import { newRequestId } from '../frame/active-request.ts';
import { Frame } from '../frame/frame.ts';
import type { NotFoundPage } from '../frame/not-found.ts';
import { createRequestLog } from '../frame/request-log.ts';
import { NO_RECORDER, type UsageRecorder } from '../frame/request-usage.ts';
import type { Phases, Route } from '../frame/route.ts';
import { parseQuery } from '../input/query.ts';
import type { Describe } from '../openapi/openapi.ts';
import { openapiRoutes } from '../openapi/openapi-route.ts';
import type { Json } from '../openapi/openapi-schemas.ts';
import { answerClientError, answerOddRequests } from './client-errors.ts';
import type { ConnectionBounds } from './connection-bounds.ts';
import { Connections } from './connections.ts';
import { type HealthOptions, healthRoutes } from './health.ts';

/** Bounds of time and size; each default can be replaced. */
export interface Limits extends ConnectionBounds {
  /** Largest body. Default 1 MiB. */
  readonly bodyBytes: number;
  /** Largest head of a request. Default 16 KiB. */
  readonly headerBytes: number;
  /** Time for the head to arrive. Default 10 s. */
  readonly headersTimeoutMs: number;
  /** Time for the whole request to arrive. Default 10 s. */
  readonly requestTimeoutMs: number;
  /** Idle timeout of a connection. Default 65 s, longer than that of common proxies. */
  readonly keepAliveTimeoutMs: number;
  /** Minimum time that connections stay open during shutdown, so that clients notice it. Default 0. */
  readonly lingerMs: number;
  /** How often the two timeouts for arrival are checked. Default 1 s. */
  readonly checkIntervalMs: number;
}

const LIMITS: Limits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 65_000,
  lingerMs: 0,
  checkIntervalMs: 1_000,
  connections: 10_000,
  connectionsPerAddress: 5_000,
};

export interface ServerOptions<Caller> {
  readonly routes: readonly Route<Caller>[];
  readonly phases: Phases<Caller>;
  readonly clock: Clock;
  readonly log: Log;
  /** Of what requests use; default: nothing is recorded. */
  readonly recorder?: UsageRecorder<Caller>;
  readonly metrics: Metrics;
  /** Public URL, without a slash at the end. */
  readonly publicUrl: string;
  /** Networks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
  readonly limits?: Partial<Limits>;
  readonly health: Pick<HealthOptions, 'checks' | 'metricsAccess'>;
  /** Metadata of the OpenAPI document; its server is `publicUrl`. */
  readonly describe: Omit<Describe, 'server'>;
  /** Page for browsers at unknown URLs; default: the problem document that programs get. */
  readonly notFoundPage?: NotFoundPage;
}

export interface WebServer {
  /** The OpenAPI document of all routes, those of health included. */
  readonly openapi: Json;
  /** Starts to listen; returns the port, which matters if 0 was requested. */
  listen(host: string, port: number): Promise<number>;
  /** The port that it listens on; null before that. */
  port(): number | null;
  /**
   * Refuses every request but those of health with this problem, for as long as the server runs; resolves when no request is
   * active, within 15 s.
   */
  suspend(refusal: () => Problem): Promise<void>;
  /** Says at /readyz that it is about to stop, and asks clients to close their connections; answers everything as before. */
  leave(): void;
  /** Stops gracefully: active requests finish, within 15 s. */
  drain(): Promise<void>;
  /** Stops at once: connections are cut. */
  close(): Promise<void>;
}

/** Wires routes and phases into a server. Throws where two routes collide or a schema cannot be served. */
export function createServer<Caller>(options: ServerOptions<Caller>): WebServer {
  const { clock, metrics, publicUrl, trustedProxies = [] } = options;
  const limits = { ...LIMITS, ...options.limits };
  const connections = createConnections(options, limits);
  const { routes, openapi } = withOwnRoutes(options, connections);
  const log = createRequestLog(options);
  const frame = new Frame<Caller>({
    phases: options.phases,
    clock,
    publicUrl,
    log,
    recorder: options.recorder ?? NO_RECORDER,
    routes,
    connections,
    notFoundPage: options.notFoundPage,
    readAddress: addressReader(trustedProxies),
  });
  metrics.gauge('freehold_http_active', 'Requests and streams in progress.', () => connections.active);
  metrics.gauge('freehold_http_streams', 'Open event streams.', () => frame.streams);
  const app = createFastify(limits, frame, (error, socket) => {
    const requestId = newRequestId();
    const logRefused = (problem: Problem) => log.refused(requestId, problem);
    answerClientError(error, socket, { connections, publicUrl, requestId, log: logRefused });
  });
  frame.install(app);
  app.server.on('connection', (socket: Socket) => connections.add(socket));
  answerOddRequests(app.server, publicUrl, newRequestId);
  return {
    openapi,
    suspend: (refusal) => connections.suspend(app.server, refusal),
    leave: () => connections.leave(),
    ...serve(app, () => connections.drain(app.server, limits.lingerMs)),
  };
}

function createConnections<Caller>(
  { clock, metrics, trustedProxies = [] }: ServerOptions<Caller>,
  bounds: ConnectionBounds,
): Connections {
  const proxies = parseNetworks(trustedProxies);
  const isProxy = (address: string): boolean => isWithin(address, proxies);
  return new Connections({ bounds, clock, metrics, isProxy, readAddress: addressReader([]) });
}

/** The features' routes with the server's own: health, metrics and the OpenAPI document. */
function withOwnRoutes<Caller>(options: ServerOptions<Caller>, connections: Connections) {
  const { clock, metrics, health, publicUrl, describe } = options;
  const served = [
    ...options.routes,
    ...healthRoutes<Caller>({
      clock,
      metrics,
      isDraining: () => connections.isDraining,
      isSuspended: () => connections.isSuspended,
      publicUrl,
      ...health,
    }),
  ];
  const own = openapiRoutes<Caller>(served, { ...describe, server: publicUrl });
  return { routes: [...served, ...own.routes], openapi: own.document };
}

/** Fastify with none of its own responses. */
function createFastify<Caller>(
  limits: Limits,
  frame: Frame<Caller>,
  clientErrorHandler: (error: Error, socket: Socket) => void,
): FastifyInstance {
  return fastify({
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: limits.bodyBytes,
    exposeHeadRoutes: false,
    serverFactory: (listener) => createNode(limits, listener),
    // Drain refuses requests during shutdown, with a problem document.
    return503OnClosing: false,
    forceCloseConnections: false,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    routerOptions: { querystringParser: parseQuery, maxParamLength: limits.headerBytes },
    frameworkErrors: frame.fail,
    clientErrorHandler,
  });
}

function createNode(limits: Limits, listener: RequestListener): Server {
  return createNodeServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      // Node would reject a missing Host without a body; checkRequest explains it.
      requireHostHeader: false,
    },
    listener,
  );
}

/** Path and query of a request target, which may be an absolute URL (RFC 9112, 3.2.2); its host is ignored. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const [, rest = `/${url}`] = /^https?:\/\/[^/?]*(.*)$/i.exec(url) ?? [];
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function portOf({ server }: FastifyInstance): number | null {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}

function serve(
  app: FastifyInstance,
  drained: () => Promise<void>,
): Omit<WebServer, 'openapi' | 'suspend' | 'leave'> {
  return {
    async listen(host, port) {
      await app.listen({ host, port });
      return portOf(app) ?? port;
    },
    port: () => portOf(app),
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
