// Owns the order of the phases that every request passes, written as the bodies of two functions.

import { Problem } from '../../lib/problem.ts';
import { negotiate } from '../input/accept.ts';
import type { Headers } from '../output/headers.ts';
import type { Exchange } from './exchange.ts';
import type { Plan } from './plan.ts';
import type { Access, Incoming, Phases, Reply } from './route.ts';
import { refuseBody, refuseCoding, refuseMalformed } from './shape.ts';

const NONE: Headers = Object.freeze({});

/** Everything before the body is read. Gives an answer that ends the request early, or null to go on. */
export function admit<Caller>(
  exchange: Exchange<Caller>,
  phases: Phases<Caller>,
): Promise<Reply | null> | Reply | null {
  refuseMalformed(exchange.request);
  const identified = phases.identify(incoming(exchange), exchange.plan.route.access);
  // Most are known at once, and waiting for what is there already would cost each request a turn.
  return identified instanceof Promise
    ? identified.then((caller) => admitCaller(exchange, phases, caller))
    : admitCaller(exchange, phases, identified);
}

function admitCaller<Caller>(
  exchange: Exchange<Caller>,
  phases: Phases<Caller>,
  caller: Caller,
): Promise<Reply | null> | Reply | null {
  const { access, early } = exchange.plan.route;
  exchange.identify(caller);
  exchange.callerHeaders = phases.headers(caller);
  const refusal = refusalOf(phases, caller, access);
  if (refusal === null) {
    const reply = early?.(exchange) ?? null;
    if (reply !== null) return reply;
  }
  if (access.counts === 'nothing') return admitCounted(exchange, NONE, refusal);
  const limited = phases.limit(caller, access);
  return limited instanceof Promise
    ? limited.then((headers) => admitCounted(exchange, headers, refusal))
    : admitCounted(exchange, limited, refusal);
}

function admitCounted<Caller>(
  exchange: Exchange<Caller>,
  limitHeaders: Headers,
  refusal: Error | null,
): null {
  const { request, plan } = exchange;
  const { body, consumes } = plan.route;
  exchange.limitHeaders = limitHeaders;
  // Thrown only now: a refusal is counted too, or a caller could ask for ever, and a limit that is reached outranks it.
  if (refusal !== null) throw refusal;
  if (body === undefined) refuseBody(request);
  else refuseCoding(request, consumes);
  return null;
}

/** Everything once the body, if there is one, is read and fits its schema. */
export function answer<Caller>(
  exchange: Exchange<Caller>,
  rawParams: Readonly<Record<string, string>>,
): Promise<Reply> | Reply {
  const { plan, request, url } = exchange;
  exchange.params = plan.readParameters(rawParams);
  exchange.mediaType = acceptable(request.headers.accept, plan);
  const mark = url.indexOf('?');
  exchange.query = plan.readQuery(mark < 0 ? '' : url.slice(mark + 1));
  return plan.route.handle(exchange as never);
}

function incoming<Caller>({ request, address }: Exchange<Caller>): Incoming {
  const { method = 'GET', headers } = request;
  // More than one was refused already.
  return { method, headers, address, authorizations: headers.authorization === undefined ? 0 : 1 };
}

function refusalOf<Caller>(phases: Phases<Caller>, caller: Caller, access: Access): Error | null {
  try {
    phases.allow(caller, access);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error('Refused', { cause: error });
  }
}

function acceptable<Caller>(accept: string | undefined, { accepts: offered, route }: Plan<Caller>): string {
  const type = negotiate(accept, offered) ?? (route.anyAccept === true ? offered[0] : null);
  if (typeof type === 'string') return type;
  throw new Problem('NOT_ACCEPTABLE', `This endpoint responds with ${offered.join(' or ')} only.`);
}
