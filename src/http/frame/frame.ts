// Request frame: the phases that every request passes in order, its response and its errors, as Fastify hooks.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import type { ReadAddress } from '../../lib/ip-address.ts';
import { Problem } from '../../lib/problem.ts';
import { markStreaming } from '../input/body-stream.ts';
import { problemHeaders, problemReply, toProblem } from '../output/problem-document.ts';
import { isCrossOrigin, preflightHeaders, type Reply } from '../output/reply.ts';
import { ActiveRequest, addFaults, pathOf } from './active-request.ts';
import { addBodyParsers, leaveBodiesUnread } from './body-parsers.ts';
import {
  createEndpoint,
  createEndpoints,
  type Endpoint,
  placeholderRoute,
  type ServedEndpoint,
  selectVariant,
} from './endpoint.ts';
import { createNotFound, type NotFoundPage, renderNotFound } from './not-found.ts';
import {
  checkRequest,
  hasShortBody,
  headOfVariantOnly,
  incomplete,
  negotiate,
  otherMethod,
  refuseBody,
  requireBodyType,
} from './request-head.ts';
import type { RequestLog } from './request-log.ts';
import type { UsageRecorder } from './request-usage.ts';
import { Responder } from './responder.ts';
import type { LateAccess, Phases, Route } from './route.ts';
import { compileValidator, schemaOf } from './validator.ts';

/** The path under which `OPTIONS *` arrives. */
const ANY_PATH = '/*';

/** The server's connections, as the frame needs them. */
export interface Connections {
  /** True once the process is stopping. */
  readonly isDraining: boolean;
  /** Marks a request as active until `end`. */
  begin(response: FastifyReply['raw']): void;
  end(response: FastifyReply['raw']): void;
  /** Throws during shutdown and on excess connections. */
  refuse(request: FastifyRequest['raw']): void;
}

export interface FrameOptions<Caller> {
  readonly routes: readonly Route<Caller>[];
  readonly phases: Phases<Caller>;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly connections: Connections;
  readonly readAddress: ReadAddress;
  readonly log: RequestLog<Caller>;
  readonly recorder: UsageRecorder<Caller>;
  readonly notFoundPage: NotFoundPage | undefined;
}

/** Fastify's request, with ours attached from the first hook on. */
type CarryingRequest<Caller> = FastifyRequest & { active?: ActiveRequest<Caller> };

export class Frame<Caller> {
  readonly #options: FrameOptions<Caller>;
  readonly #endpoints: readonly ServedEndpoint<Caller>[];
  /** Endpoints for URLs without a route: `open` to cross-origin pages, or `closed`. */
  readonly #unmatched: { readonly open: Endpoint<Caller>; readonly closed: Endpoint<Caller> };
  readonly #notFound: (path: string) => Problem;
  readonly #responder: Responder<Caller>;

  /** Throws if a route contradicts itself. */
  constructor(options: FrameOptions<Caller>) {
    const { routes, publicUrl } = options;
    this.#options = options;
    this.#endpoints = createEndpoints(routes, publicUrl);
    this.#unmatched = {
      open: createEndpoint(placeholderRoute('/v1'), publicUrl),
      closed: createEndpoint(placeholderRoute('/'), publicUrl),
    };
    this.#responder = new Responder(options.clock, options.connections);
    this.#notFound = createNotFound(routes.map(({ path }) => path));
  }

  /** Number of open event streams. */
  get streams(): number {
    return this.#responder.streams;
  }

  /** Registers all routes. Throws if two collide or a schema is not supported. */
  install(app: FastifyInstance): void {
    app.decorateRequest('active');
    addBodyParsers(app);
    app.setValidatorCompiler(compileValidator);
    app.addHook('onRequest', this.#admit);
    app.setErrorHandler(this.fail);
    for (const method of new Set(this.#endpoints.flatMap(({ methods }) => methods)))
      if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    for (const { endpoint, methods } of this.#endpoints) {
      if (endpoint.route.ownBody !== 'stream') this.#addRoute(app, { endpoint, methods });
    }
    void app.register(async (streaming) => {
      leaveBodiesUnread(streaming);
      for (const served of this.#endpoints)
        if (served.endpoint.route.ownBody === 'stream') this.#addRoute(streaming, served);
    });
  }

  #addRoute(app: FastifyInstance, { endpoint, methods }: ServedEndpoint<Caller>): void {
    const { path, bodyBytes } = endpoint.route;
    app.route({
      method: [...methods],
      url: path,
      schema: schemaOf(endpoint.route),
      config: { endpoint },
      ...(bodyBytes !== undefined && { bodyLimit: bodyBytes }),
      handler: this.#answer,
    });
  }

  /** All phases before the body is read, in the one order that every request passes. */
  readonly #admit = async (request: CarryingRequest<Caller>, reply: FastifyReply): Promise<unknown> => {
    const { phases } = this.#options;
    const active = this.#open(request, reply);
    const { route, allow } = active.endpoint;
    if (route.whileDraining !== true) this.#options.connections.refuse(request.raw);
    checkRequest(request.raw);
    if (request.is404) return this.#answerUnmatched(active, reply);
    if (allow !== null && request.method === 'OPTIONS') return this.#answerPreflight(active, reply, allow);
    if (allow !== null && route.access.credentials === 'none') throw otherMethod(allow);
    if (request.method === 'HEAD' && route.head === false) throw headOfVariantOnly();
    route.guard?.(request.headers);
    active.identify(await phases.identify(active, route.access));
    active.callerHeaders = phases.headers(active.caller);
    if (allow !== null) throw otherMethod(allow);
    const early = route.late === undefined ? await this.#judge(active) : this.#look(active);
    if (early !== null) return this.#responder.send(active, reply, early);
    if (route.body === undefined) refuseBody(request.raw);
    else requireBodyType(request.raw, route.consumes);
    if (route.ownBody === 'stream') markStreaming(reply.raw, route.bodyBytes);
  };

  /** Allow and limit; returns a reply that needs no limit, if the route has one. Throws a refusal. */
  async #judge(active: ActiveRequest<Caller>): Promise<Reply | null> {
    const { phases } = this.#options;
    const { caller, access, endpoint } = active;
    active.isJudged = true;
    const refusal = phases.allow(caller, access);
    const early = refusal === null ? (endpoint.route.early?.(active) ?? null) : null;
    if (early !== null) return early;
    if (access.counts !== 'nothing')
      active.limitHeaders = await phases.limit(caller, access, refusal === null);
    // Thrown only now: refused requests count too, and a reached limit outranks the refusal.
    if (refusal !== null) throw refusal;
    return null;
  }

  /**
   * Refuses a caller without a slot before the body is read, unless the body is short: what it asks for may be answered with
   * the refusal. Nothing is charged.
   */
  #look(active: ActiveRequest<Caller>): null {
    const refusal = this.#options.phases.look(active.caller);
    if (refusal === null || hasShortBody(active.request)) return null;
    active.isJudged = true;
    const { code, message, headers, members } = refusal;
    throw new Problem(code, message, { headers: { ...headers, connection: 'close' }, members });
  }

  /** Allow and limit by the rules that the body decides. A refusal that the handler answers is left to it. */
  async #judgeLate(active: ActiveRequest<Caller>, late: LateAccess<Caller>): Promise<void> {
    active.access = late.access(active.body, active.caller);
    try {
      await this.#judge(active);
    } catch (error) {
      if (!(error instanceof Problem) || !late.answers(error, active.body)) throw error;
      active.refusal = error;
      active.limitHeaders = error.headers;
    }
  }

  /** Handler phase, once the body is read and all parameters are valid. */
  readonly #answer = async (request: CarryingRequest<Caller>, reply: FastifyReply): Promise<void> => {
    const active = this.#open(request, reply);
    const { endpoint } = active;
    active.params = request.params as Record<string, unknown>;
    active.query = request.query as Record<string, unknown>;
    active.body = request.body;
    active.mediaType = acceptable(active.headers.accept, endpoint);
    const { late } = endpoint.route;
    if (late !== undefined) await this.#judgeLate(active, late);
    active.setHandling(true);
    try {
      await this.#responder.send(active, reply, await endpoint.route.handle(active as never));
    } finally {
      active.setHandling(false);
    }
  };

  /** Error handler: sends whatever was thrown as a problem. */
  readonly fail = async (thrown: unknown, request: CarryingRequest<Caller>, reply: FastifyReply) => {
    const active = this.#open(request, reply);
    if (active.isAbort(thrown)) return;
    active.problem = toProblem(await addFaults(active, thrown), active.endpoint.route.bodyBytes);
    try {
      if (active.endpoint.route.late !== undefined) await this.#countUnread(active);
      await this.#responder.send(active, reply, this.#problemReply(active, active.problem));
    } catch (error) {
      // Without a response the client would wait.
      active.problem = toProblem(error);
      reply.hijack();
      active.response.destroy();
    }
  };

  /** Counts a request whose body could not be read, so that nobody sends such bodies without limit. */
  async #countUnread(active: ActiveRequest<Caller>): Promise<void> {
    if (!active.isIdentified || active.isJudged) return;
    await this.#judge(active).catch((refusal: unknown) => {
      active.problem = toProblem(refusal);
    });
  }

  /** 404, except for preflights of metadata documents, which clients probe in turn. */
  #answerUnmatched(active: ActiveRequest<Caller>, reply: FastifyReply): Promise<void> {
    const path = pathOf(active.url);
    const isPreflight = active.request.method === 'OPTIONS';
    // A browser lets a page see the 404 only after a successful preflight.
    if (isPreflight && (path === ANY_PATH || path.startsWith('/.well-known/')))
      return this.#answerPreflight(active, reply, path === ANY_PATH ? 'OPTIONS' : 'GET, HEAD, OPTIONS');
    throw this.#notFound(path);
  }

  #answerPreflight(active: ActiveRequest<Caller>, reply: FastifyReply, allow: string): Promise<void> {
    const forPages = isCrossOrigin(pathOf(active.url)) ? preflightHeaders(allow) : {};
    return this.#responder.send(active, reply, { status: 204, headers: { allow, ...forPages } });
  }

  #problemReply(active: ActiveRequest<Caller>, problem: Problem): Reply {
    const { publicUrl, notFoundPage } = this.#options;
    const isUnmatched = Object.values(this.#unmatched).includes(active.endpoint);
    const page = isUnmatched ? renderNotFound(notFoundPage, active, problem) : null;
    if (page !== null) return page;
    const { requestId, url, headers: request } = active;
    const context = { publicUrl, requestId, request, access: active.access };
    const { errors } = active.endpoint.route;
    const headers = problemHeaders(problem, context);
    return errors?.write({ problem, requestId, url, request, headers }) ?? problemReply(problem, context);
  }

  /** The active request of Fastify's, created on first use; it is active until its response is closed. */
  #open(request: CarryingRequest<Caller>, { raw: response }: FastifyReply): ActiveRequest<Caller> {
    if (request.active !== undefined && request.active !== null) return request.active;
    const { readAddress, clock, connections, recorder } = this.#options;
    const forwardedFor = request.headers['x-forwarded-for'];
    const active = new ActiveRequest(this.#endpointOf(request), request.raw, response, {
      recorder,
      requestId: request.id,
      startedAt: clock.monotonic(),
      address: readAddress(
        request.socket.remoteAddress,
        typeof forwardedFor === 'string' ? forwardedFor : undefined,
      ),
    });
    request.active = active;
    connections.begin(response);
    response.on('close', () => this.#close(active));
    return active;
  }

  #endpointOf(request: CarryingRequest<Caller>): Endpoint<Caller> {
    const { endpoint } = request.routeOptions.config as { readonly endpoint?: Endpoint<Caller> };
    if (endpoint !== undefined) return selectVariant(endpoint, request.headers.accept);
    return isCrossOrigin(pathOf(request.url)) ? this.#unmatched.open : this.#unmatched.closed;
  }

  /** Logs a request that is over, answered or not. */
  #close(active: ActiveRequest<Caller>): void {
    const { request, response } = active;
    if (!request.complete && !response.headersSent) active.problem ??= incomplete();
    active.close(() => {
      this.#options.connections.end(response);
      this.#options.log.answered(active);
      this.#options.recorder.ended(active);
    });
  }
}

function acceptable<Caller>(
  accept: string | undefined,
  { accepts: offered, route }: Endpoint<Caller>,
): string {
  const type = negotiate(accept, offered) ?? (route.anyAccept === true ? offered[0] : null);
  if (typeof type === 'string') return type;
  throw new Problem('NOT_ACCEPTABLE', `This endpoint responds with ${offered.join(' or ')} only.`);
}
