// Owns what Fastify does for us: it reads the body of a request within its bounds and holds it against the route's schema.

import type { RequestListener, Server } from 'node:http';
import {
  type FastifyError,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { Dispatcher } from '../frame/dispatch.ts';
import type { Exchange } from '../frame/exchange.ts';
import type { Plan } from '../frame/plan.ts';
import type { BodyType } from '../frame/route.ts';
import { parseJson, withoutNames } from '../input/body.ts';
import { parseForm } from '../input/form.ts';

const NO_QUERY = Object.freeze({});
const JSON_BODY: BodyType = 'application/json';
const FORM_BODY: BodyType = 'application/x-www-form-urlencoded';

/** Fastify's request carries the exchange from the first hook to the handler. */
type Carrier<Caller> = FastifyRequest & { exchange?: Exchange<Caller> };

export interface BodyOptions {
  /** Largest body where the route names no other. */
  readonly bodyBytes: number;
  /** Longest variable part of a path. */
  readonly partLength: number;
  /** Makes the server; `onward` reads bodies and is where requests go that may have one. */
  readonly createServer: (onward: RequestListener) => Server;
}

/** Sets Fastify up so that nothing is silently ignored, for the routes that read a body. */
export function bodyReader<Caller>(
  dispatcher: Dispatcher<Caller>,
  plans: readonly Plan<Caller>[],
  options: BodyOptions,
): FastifyInstance {
  const hooks = new Hooks(dispatcher);
  const app = fastify(fastifyOptions(options, hooks));
  const asBytes = { parseAs: 'buffer' } as const;
  // Fastify's own: text bodies are nobody's here, and its JSON parser is laxer.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_BODY, asBytes, async (_: FastifyRequest, body: Buffer) => parseJson(body));
  app.addContentTypeParser(FORM_BODY, asBytes, async (request: Carrier<Caller>, body: Buffer) =>
    parseForm(body, request.exchange?.plan.route.body),
  );
  app.addHook('onRequest', hooks.stray);
  app.setNotFoundHandler(hooks.unreachable);
  app.setErrorHandler(hooks.failed);
  for (const plan of plans) app.route(routeOptions(plan, hooks));
  return app;
}

function fastifyOptions<Caller>({ bodyBytes, partLength, createServer }: BodyOptions, hooks: Hooks<Caller>) {
  return {
    logger: false,
    requestIdHeader: false,
    bodyLimit: bodyBytes,
    serverFactory: createServer,
    // Draining is ours: Fastify would answer in its own way.
    return503OnClosing: false,
    forceCloseConnections: false,
    // Query strings are read by the route's own strict parser; lengths are bounded by the path's schema.
    routerOptions: { querystringParser: () => NO_QUERY, maxParamLength: partLength },
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        allErrors: false,
        keywords: ['aliases', 'caseInsensitive', 'separator', 'flag', 'missing', 'internal'],
      },
    },
    frameworkErrors: hooks.failed,
    // The server has its own listener.
    clientErrorHandler: () => undefined,
  } satisfies FastifyHttpOptions<Server>;
}

function routeOptions<Caller>(plan: Plan<Caller>, hooks: Hooks<Caller>) {
  const { method, path, body, ownBody, bodyBytes } = plan.route;
  return {
    ...{ method, url: path },
    ...(body !== undefined && ownBody !== true && { schema: { body: withoutNames(body) } }),
    ...(bodyBytes !== undefined && { bodyLimit: bodyBytes }),
    onRequest: (request: FastifyRequest, reply: FastifyReply) => hooks.begin(plan, request, reply),
    handler: hooks.resume,
  };
}

/** Answers are written by the dispatcher alone: what is hijacked, Fastify only forgets. */
class Hooks<Caller> {
  readonly #dispatcher: Dispatcher<Caller>;

  constructor(dispatcher: Dispatcher<Caller>) {
    this.#dispatcher = dispatcher;
  }

  async begin(plan: Plan<Caller>, request: Carrier<Caller>, reply: FastifyReply): Promise<void> {
    const exchange = this.#dispatcher.open(plan, request.raw, reply.raw);
    request.exchange = exchange;
    if (!(await this.#dispatcher.begin(exchange))) reply.hijack();
  }

  readonly resume = (request: Carrier<Caller>, reply: FastifyReply): void => {
    const exchange = this.#take(request, reply);
    exchange.body = request.body;
    this.#dispatcher.resume(exchange, request.params as Record<string, string>);
  };

  /** Answers what no route serves before a body of it is read. */
  readonly stray = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (request.is404) this.unreachable(request, reply);
    else done();
  };

  readonly unreachable = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    this.#dispatcher.unreachable(request.raw, reply.raw);
  };

  /** Fastify's own errors: no address that can be read, no body that can be read, or none that fits its schema. */
  readonly failed = (error: FastifyError, request: Carrier<Caller>, reply: FastifyReply): void => {
    // What does not even begin with a slash goes past the not-found handler of Fastify.
    if (error.code === 'FST_ERR_NOT_FOUND') this.unreachable(request, reply);
    else this.#dispatcher.fail(this.#take(request, reply), error);
  };

  #take(request: Carrier<Caller>, reply: FastifyReply): Exchange<Caller> {
    reply.hijack();
    return request.exchange ?? this.#dispatcher.openStray(request.raw, reply.raw);
  }
}
