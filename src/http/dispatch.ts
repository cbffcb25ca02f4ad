// Owns the way of a request through Fastify's hooks: it becomes an exchange, passes the phases, and is answered once.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { ReadAddress } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { writeLong, writeReply, writeStream } from './answer.ts';
import type { Drain } from './drain.ts';
import { Exchange, pathOf } from './exchange.ts';
import { isCrossOrigin, preflightHeaders } from './headers.ts';
import { Outbox } from './outbox.ts';
import { admit, answer } from './phases.ts';
import { type Place, type Plan, planRoute } from './plan.ts';
import { failureReply, toProblem } from './problems.ts';
import type { Reporter } from './report.ts';
import type { ErrorForm, Phases, Reply, Route } from './route.ts';
import { refuseMalformed } from './shape.ts';

export interface DispatcherOptions<Caller> {
  readonly phases: Phases<Caller>;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly drain: Drain;
  readonly readAddress: ReadAddress;
  readonly placeAt: (path: string) => Place;
  readonly reporter: Reporter<Caller>;
}

/** Fastify's request carries the exchange from the first hook to the handler. */
type Carrier<Caller> = FastifyRequest & { exchange?: Exchange<Caller> };

export class Dispatcher<Caller> {
  readonly reporter: Reporter<Caller>;
  readonly #options: DispatcherOptions<Caller>;
  readonly #strayPlans: { readonly open: Plan<Caller>; readonly closed: Plan<Caller> };

  readonly #outbox = new Outbox();
  #streams = 0;

  constructor(options: DispatcherOptions<Caller>) {
    this.#options = options;
    this.reporter = options.reporter;
    this.#strayPlans = {
      open: planRoute(strayRoute('/v1'), options.publicUrl),
      closed: planRoute(strayRoute('/'), options.publicUrl),
    };
  }

  /** Sends what is ready: to be called where something else is about to be written to a connection. */
  readonly flush = (): void => this.#outbox.flush();

  /** Event streams that are open now. */
  get streams(): number {
    return this.#streams;
  }

  /** The handler of a GET: all phases in one go. */
  async run(plan: Plan<Caller>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const exchange = this.#open(plan, request, reply);
    try {
      if (plan.route.whileDraining !== true) this.#options.drain.refuse();
      const admitted = admit(exchange, this.#options.phases);
      const early = admitted instanceof Promise ? await admitted : admitted;
      if (early !== null) this.#finish(exchange, reply, early);
      else await this.#answer(exchange, request, reply);
    } catch (error) {
      this.#fail(exchange, reply, error);
    }
  }

  /** The hook of every other method: the phases that come before a body is read. */
  async begin(plan: Plan<Caller>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const exchange = this.#open(plan, request, reply);
    try {
      this.#options.drain.refuse();
      const admitted = admit(exchange, this.#options.phases);
      const early = admitted instanceof Promise ? await admitted : admitted;
      if (early !== null) this.#finish(exchange, reply, early);
    } catch (error) {
      this.#fail(exchange, reply, error);
    }
  }

  /** The handler of every other method; the body, if there is one, is read and checked. */
  readonly resume = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const exchange = this.#exchangeOf(request, reply);
    exchange.body = request.body;
    try {
      await this.#answer(exchange, request, reply);
    } catch (error) {
      this.#fail(exchange, reply, error);
    }
  };

  async #answer(exchange: Exchange<Caller>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const given = answer(exchange, request.params as Record<string, string>);
    const answered = given instanceof Promise ? await given : given;
    const { events, pieces } = answered;
    // Of a long answer HEAD shows the head alone, and nothing is read for it.
    if (events === undefined && (pieces === undefined || request.method === 'HEAD'))
      return this.#finish(exchange, reply, answered);
    reply.hijack();
    if (events !== undefined) await this.#stream(exchange, answered, events);
    else if (pieces !== undefined) await writeLong(exchange, answered, pieces, this.#options.clock);
    this.#close(exchange);
  }

  async #stream(
    exchange: Exchange<Caller>,
    reply: Reply,
    events: NonNullable<Reply['events']>,
  ): Promise<void> {
    this.#streams += 1;
    try {
      await writeStream(exchange, reply, events, this.#options.clock);
    } finally {
      this.#streams -= 1;
    }
  }

  /** Fastify's own errors on a known route: the body could not be read or does not fit its schema. */
  readonly failed = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    // What does not even begin with a slash goes past the not-found handler of Fastify.
    if (error.code === 'FST_ERR_NOT_FOUND') this.unreachable(request, reply);
    else this.#fail(this.#exchangeOf(request, reply), reply, error);
  };

  /** Fastify's own errors before it knows the route. */
  readonly misrouted = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    this.failed(error, request, reply);
  };

  /** The hook that answers what no route serves, before a body of it is read. */
  readonly stray = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (request.is404) this.unreachable(request, reply);
    else done();
  };

  readonly unreachable = (request: FastifyRequest, reply: FastifyReply): void => {
    const exchange = this.#exchangeOf(request, reply);
    try {
      this.#finish(exchange, reply, this.#strayReply(exchange));
    } catch (error) {
      this.#fail(exchange, reply, error);
    }
  };

  /** 404, 405 or the answer to OPTIONS, by the methods that routes answer at the address. */
  #strayReply({ request, url }: Exchange<Caller>): Reply {
    refuseMalformed(request);
    const path = pathOf(url);
    const methods = this.#methodsAt(path, request.method);
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS' && (methods.length > 0 || url === '*')) {
      return { status: 204, headers: { allow, ...(isCrossOrigin(path) && preflightHeaders(allow)) } };
    }
    if (methods.length === 0) throw new Problem('NOT_FOUND', 'There is nothing at this address.');
    throw new Problem('METHOD_NOT_ALLOWED', `This address answers ${allow} only.`, { headers: { allow } });
  }

  /** Pages look for several metadata documents in turn: a browser shows them a 404 only after a preflight that passed. */
  #methodsAt(path: string, method: string | undefined): readonly string[] {
    const { methods } = this.#options.placeAt(path);
    const sought = methods.length === 0 && method === 'OPTIONS' && path.startsWith('/.well-known/');
    return sought ? ['GET', 'HEAD'] : methods;
  }

  /** Where no route serves the method, the address still says how its errors are written. */
  #errorForm({ plan, url }: Exchange<Caller>): ErrorForm | undefined {
    const { open, closed } = this.#strayPlans;
    const stray = plan === open || plan === closed;
    return stray ? this.#options.placeAt(pathOf(url)).errors : plan.route.errors;
  }

  /** What the body of this request should be, as its route says. */
  bodySchema(request: Carrier<Caller>): TSchema | undefined {
    return request.exchange?.plan.route.body;
  }

  #exchangeOf(request: Carrier<Caller>, reply: FastifyReply): Exchange<Caller> {
    if (request.exchange !== undefined) return request.exchange;
    const { open, closed } = this.#strayPlans;
    return this.#open(isCrossOrigin(pathOf(request.raw.url ?? '/')) ? open : closed, request, reply);
  }

  #open(plan: Plan<Caller>, request: Carrier<Caller>, reply: FastifyReply): Exchange<Caller> {
    const { readAddress, clock, drain } = this.#options;
    const { raw } = request;
    const forwardedFor = raw.headers['x-forwarded-for'];
    const address = readAddress(
      raw.socket.remoteAddress,
      typeof forwardedFor === 'string' ? forwardedFor : undefined,
    );
    const origin = { requestId: request.id, address, startedAt: clock.monotonic() };
    const exchange = new Exchange(plan, raw, reply.raw, origin);
    request.exchange = exchange;
    drain.enter();
    return exchange;
  }

  #fail(exchange: Exchange<Caller>, reply: FastifyReply, thrown: unknown): void {
    const problem = toProblem(thrown);
    if (exchange.response.headersSent) {
      this.#close(exchange, problem);
      return;
    }
    const context = {
      publicUrl: this.#options.publicUrl,
      requestId: exchange.requestId,
      authorization: exchange.headers.authorization,
      scope: exchange.plan.route.access.scope,
      request: exchange.headers,
    };
    this.#finish(exchange, reply, failureReply(problem, context, this.#errorForm(exchange)), problem);
  }

  #finish(exchange: Exchange<Caller>, reply: FastifyReply, answered: Reply, problem?: Problem): void {
    // Fastify would add its own headers and serialisation; hijacked, it only forgets the request.
    reply.hijack();
    this.#outbox.add(() => this.#write(exchange, reply, answered, problem));
  }

  #write(exchange: Exchange<Caller>, reply: FastifyReply, answered: Reply, problem?: Problem): void {
    // While draining, a client that keeps its connection would run into the closed listener with its next request.
    if (this.#options.drain.draining) exchange.response.shouldKeepAlive = false;
    try {
      writeReply(exchange, answered, this.#options.clock);
    } catch (cause) {
      // What cannot be written becomes a problem; one that cannot be written either would leave the client waiting.
      if (problem === undefined) this.#fail(exchange, reply, cause);
      else this.#abandon(exchange, cause);
      return;
    }
    this.#close(exchange, problem);
  }

  #abandon(exchange: Exchange<Caller>, cause: unknown): void {
    exchange.response.destroy();
    this.#close(exchange, toProblem(cause));
  }

  #close(exchange: Exchange<Caller>, problem?: Problem): void {
    this.#options.drain.leave();
    this.reporter.answered(exchange, problem);
  }
}

/** What stands in for a route where there is none. */
function strayRoute<Caller>(path: string): Route<Caller> {
  return {
    method: 'GET',
    path,
    access: { credentials: 'none', counts: 'nothing' },
    ownQuery: true,
    operation: 'stray',
    tag: 'none',
    summary: 'An address without a route.',
    answer: { description: 'A problem.' },
    handle: () => ({ status: 404 }),
  };
}
