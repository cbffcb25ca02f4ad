// Owns the way of a request: it becomes an exchange, passes the phases, and is answered once.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReadAddress } from '../../lib/address.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { writeLong, writeReply, writeStream } from '../output/answer.ts';
import { isCrossOrigin, preflightHeaders } from '../output/headers.ts';
import { Outbox } from '../output/outbox.ts';
import { failureReply, toProblem } from '../output/problems.ts';
import type { ConnectionLimit } from '../server/connection-limit.ts';
import type { Drain } from '../server/drain.ts';
import { Exchange, pathOf } from './exchange.ts';
import type { SuggestPath } from './nearest-path.ts';
import { admit, answer } from './phases.ts';
import { type Place, type Plan, planFor, planRoute } from './plan.ts';
import type { Reporter } from './report.ts';
import { newRequestId } from './request-id.ts';
import type { ErrorForm, Phases, Reply } from './route.ts';
import { refuseMalformed } from './shape.ts';
import { missingPage, NOTHING_HERE, type NotFoundPage, strayRoute } from './stray.ts';

export interface DispatcherOptions<Caller> {
  readonly phases: Phases<Caller>;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly drain: Drain;
  readonly connections: Pick<ConnectionLimit, 'begin' | 'end' | 'refuse'>;
  readonly readAddress: ReadAddress;
  readonly placeAt: (path: string) => Place;
  readonly suggestPath: SuggestPath;
  readonly reporter: Reporter<Caller>;
  readonly notFoundPage: NotFoundPage | undefined;
}

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

  /** A request that has no body: all phases in one go, and in one turn where nothing has to be waited for. */
  run(
    plan: Plan<Caller>,
    request: IncomingMessage,
    response: ServerResponse,
    params: Readonly<Record<string, string>>,
  ): void {
    const chosen = planFor(plan, request.headers.accept);
    const exchange = this.open(chosen, request, response);
    try {
      if (chosen.route.whileDraining !== true) this.#refuse(request);
      if (request.method === 'HEAD' && chosen.route.head === false)
        throw new Problem(
          'METHOD_NOT_ALLOWED',
          'This URL supports HEAD only with Accept: application/json.',
          {
            headers: { allow: 'GET, OPTIONS' },
          },
        );
      const admitted = admit(exchange, this.#options.phases);
      if (admitted instanceof Promise) void this.#proceedLater(exchange, admitted, params);
      else this.#proceed(exchange, admitted, params);
    } catch (error) {
      this.fail(exchange, error);
    }
  }

  /** The phases that come before a body is read. Tells whether the request is to go on; never rejects. */
  async begin(exchange: Exchange<Caller>): Promise<boolean> {
    try {
      this.#refuse(exchange.request);
      const early = await admit(exchange, this.#options.phases);
      if (early === null) return true;
      this.#finish(exchange, early);
    } catch (error) {
      this.fail(exchange, error);
    }
    return false;
  }

  /** The phases that come once the body, if there is one, is read and checked. */
  resume(exchange: Exchange<Caller>, params: Readonly<Record<string, string>>): void {
    try {
      this.#proceed(exchange, null, params);
    } catch (error) {
      this.fail(exchange, error);
    }
  }

  /** Throws where nothing is taken on: while the process stops, and on connections for which there is no room. */
  #refuse({ socket }: IncomingMessage): void {
    this.#options.drain.refuse();
    this.#options.connections.refuse(socket);
  }

  async #proceedLater(
    exchange: Exchange<Caller>,
    admitted: Promise<Reply | null>,
    params: Readonly<Record<string, string>>,
  ): Promise<void> {
    try {
      this.#proceed(exchange, await admitted, params);
    } catch (error) {
      this.fail(exchange, error);
    }
  }

  #proceed(exchange: Exchange<Caller>, early: Reply | null, params: Readonly<Record<string, string>>): void {
    if (early !== null) {
      this.#finish(exchange, early);
      return;
    }
    const given = answer(exchange, params);
    if (given instanceof Promise) void this.#tellLater(exchange, given);
    else this.#tell(exchange, given);
  }

  async #tellLater(exchange: Exchange<Caller>, given: Promise<Reply>): Promise<void> {
    try {
      this.#tell(exchange, await given);
    } catch (error) {
      this.fail(exchange, error);
    }
  }

  #tell(exchange: Exchange<Caller>, answered: Reply): void {
    const { events, pieces } = answered;
    // Of a long answer HEAD shows the head alone, and nothing is read for it.
    if (events === undefined && (pieces === undefined || exchange.request.method === 'HEAD'))
      this.#finish(exchange, answered);
    else void this.#tellLong(exchange, answered);
  }

  async #tellLong(exchange: Exchange<Caller>, answered: Reply): Promise<void> {
    const { events, pieces } = answered;
    try {
      if (events !== undefined) await this.#stream(exchange, answered, events);
      else if (pieces !== undefined) await writeLong(exchange, answered, pieces, this.#options.clock);
      this.#close(exchange);
    } catch (error) {
      this.fail(exchange, error);
    }
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

  /** A request that no route serves. */
  unreachable(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.openStray(request, response);
    try {
      this.#finish(exchange, this.#strayReply(exchange));
    } catch (error) {
      this.fail(exchange, error);
    }
  }

  /** 404, 405 or the answer to OPTIONS, by the methods that routes answer at the address. */
  #strayReply({ request, url }: Exchange<Caller>): Reply {
    refuseMalformed(request);
    const path = pathOf(url);
    const methods = this.#methodsAt(path, request.method);
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS' && (methods.length > 0 || url === '*')) {
      return { status: 204, headers: { allow, ...(isCrossOrigin(path) && preflightHeaders(allow)) } };
    }
    if (methods.length === 0) throw this.#notFound(path);
    throw new Problem('METHOD_NOT_ALLOWED', `This URL supports ${allow} only.`, { headers: { allow } });
  }

  #notFound(path: string): Problem {
    const suggestion = this.#options.suggestPath(path);
    const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
    return new Problem('NOT_FOUND', `${NOTHING_HERE}${meant}`);
  }

  /** Pages look for several metadata documents in turn: a browser shows them a 404 only after a preflight that passed. */
  #methodsAt(path: string, method: string | undefined): readonly string[] {
    const { methods } = this.#options.placeAt(path);
    const sought = methods.length === 0 && method === 'OPTIONS' && path.startsWith('/.well-known/');
    return sought ? ['GET', 'HEAD'] : methods;
  }

  #isStray({ plan }: Pick<Exchange<Caller>, 'plan'>): boolean {
    return plan === this.#strayPlans.open || plan === this.#strayPlans.closed;
  }

  /** Where no route serves the method, the address still says how its errors are written. */
  #errorForm({ plan, url }: Exchange<Caller>): ErrorForm | undefined {
    return this.#isStray({ plan }) ? this.#options.placeAt(pathOf(url)).errors : plan.route.errors;
  }

  /** The exchange of a request that no route serves, or of which it is not known. */
  openStray(request: IncomingMessage, response: ServerResponse): Exchange<Caller> {
    const { open, closed } = this.#strayPlans;
    return this.open(isCrossOrigin(pathOf(request.url ?? '/')) ? open : closed, request, response);
  }

  /** The exchange that a request becomes. From here on it counts as under way, until it is answered or fails. */
  open(plan: Plan<Caller>, request: IncomingMessage, response: ServerResponse): Exchange<Caller> {
    const { readAddress, clock, drain, connections } = this.#options;
    const forwardedFor = request.headers['x-forwarded-for'];
    const address = readAddress(
      request.socket.remoteAddress,
      typeof forwardedFor === 'string' ? forwardedFor : undefined,
    );
    const origin = { requestId: newRequestId(), address, startedAt: clock.monotonic() };
    drain.enter();
    connections.begin(request.socket);
    return new Exchange(plan, request, response, origin);
  }

  /** Answers with the problem that was thrown, whatever it was. */
  fail(exchange: Exchange<Caller>, thrown: unknown): void {
    if (exchange.wasLeft(thrown)) {
      this.#close(exchange);
      return;
    }
    const problem = toProblem(thrown);
    if (exchange.response.headersSent) {
      this.#close(exchange, problem);
      return;
    }
    const { notFoundPage } = this.#options;
    const page = this.#isStray(exchange) ? missingPage(notFoundPage, exchange, problem) : null;
    if (page !== null) {
      this.#finish(exchange, page, problem);
      return;
    }
    const context = {
      publicUrl: this.#options.publicUrl,
      requestId: exchange.requestId,
      authorization: exchange.headers.authorization,
      scope: exchange.plan.route.access.scope,
      request: exchange.headers,
    };
    this.#finish(exchange, failureReply(problem, context, this.#errorForm(exchange)), problem);
  }

  #finish(exchange: Exchange<Caller>, answered: Reply, problem?: Problem): void {
    this.#outbox.add(() => this.#write(exchange, answered, problem));
  }

  #write(exchange: Exchange<Caller>, answered: Reply, problem?: Problem): void {
    // While draining, a client that keeps its connection would run into the closed listener with its next request.
    if (this.#options.drain.draining) exchange.response.shouldKeepAlive = false;
    try {
      writeReply(exchange, answered, this.#options.clock);
    } catch (cause) {
      // What cannot be written becomes a problem; one that cannot be written either would leave the client waiting.
      if (problem === undefined) this.fail(exchange, cause);
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
    this.#options.connections.end(exchange.request.socket);
    this.reporter.answered(exchange, problem);
  }
}
