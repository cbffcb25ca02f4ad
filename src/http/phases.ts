// Owns the order of the phases that every request passes, written as the bodies of two functions.

import { Problem } from '../lib/problem.ts';
import { negotiate } from './accept.ts';
import type { Exchange } from './exchange.ts';
import type { Phases, Reply } from './route.ts';
import { countHeader, refuseBody, refuseCoding, refuseMalformed } from './shape.ts';

/** Everything before the body is read. Gives an answer that ends the request early, or null to go on. */
export async function admit<Caller>(
  exchange: Exchange<Caller>,
  phases: Phases<Caller>,
): Promise<Reply | null> {
  const { request, plan } = exchange;
  const { access, early, body } = plan.route;
  refuseMalformed(request);
  const caller = await phases.identify(incoming(exchange), access);
  exchange.identify(caller);
  exchange.callerHeaders = phases.headers(caller);
  await allow(exchange, phases);
  const reply = early?.(exchange) ?? null;
  if (reply !== null) return reply;
  await limit(exchange, phases);
  if (body === undefined) refuseBody(request);
  else refuseCoding(request);
  return null;
}

/** Everything once the body, if there is one, is read and fits its schema. */
export async function answer<Caller>(
  exchange: Exchange<Caller>,
  rawParams: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { plan, request, url } = exchange;
  exchange.params = plan.readParameters(rawParams);
  exchange.mediaType = acceptable(request.headers.accept, plan.accepts);
  const mark = url.indexOf('?');
  exchange.query = plan.readQuery(mark < 0 ? '' : url.slice(mark + 1));
  return await plan.route.handle(exchange as never);
}

function incoming<Caller>({ request, address }: Exchange<Caller>) {
  const { method = 'GET', headers, rawHeaders } = request;
  const authorizations = headers.authorization === undefined ? 0 : countHeader(rawHeaders, 'authorization');
  return { method, headers, authorizations, address };
}

/** A refusal is counted too, or a caller could ask forever; a limit that is reached outranks the refusal. */
async function allow<Caller>(exchange: Exchange<Caller>, phases: Phases<Caller>): Promise<void> {
  try {
    phases.allow(exchange.caller, exchange.plan.route.access);
  } catch (refusal) {
    await limit(exchange, phases);
    throw refusal;
  }
}

async function limit<Caller>(exchange: Exchange<Caller>, phases: Phases<Caller>): Promise<void> {
  const { access } = exchange.plan.route;
  if (access.counts === 'nothing') return;
  exchange.limitHeaders = await phases.limit(exchange.caller, access);
}

function acceptable(accept: string | undefined, offered: readonly string[]): string {
  const type = negotiate(accept, offered);
  if (type !== null) return type;
  throw new Problem('NOT_ACCEPTABLE', `This endpoint answers with ${offered.join(' or ')} only.`);
}
