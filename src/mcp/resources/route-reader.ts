// Reader of a route: calls the handler of a GET route as a request would, with the same access rules, and gives its JSON.

import { refusalOf } from '../../access/phases.ts';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type CallUsage, UNRECORDED } from '../../http/frame/call-usage.ts';
import type { Access, Route } from '../../http/frame/route.ts';
import { compileJsonQuery } from '../../http/input/json-query.ts';
import { compileParameters } from '../../http/input/query.ts';
import { jsonOf } from '../../http/output/reply.ts';

/** What a reader knows of the request that it reads for. */
export interface ReadContext {
  readonly caller: Principal;
  readonly requestId: string;
  /** The client's address after trusted proxies. */
  readonly address: string;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Absent: the answer is shown to nobody. */
  readonly usage?: CallUsage;
}

export interface ReadParameters {
  /** Variables of the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
}

export interface RouteReader {
  readonly access: Access;
  /** Throws what a request would be refused with: tier, scope, parameters, nothing of this id. */
  read(parameters: ReadParameters, context: ReadContext): Promise<object>;
}

/** Past the caches of this process: what a reader was notified of has changed in the database, and a cache may not know it yet. */
const HEADERS = { 'cache-control': 'no-cache' } as const;

/** Creates the reader of an operation. Throws if there is no GET route of it. */
export function createRouteReader(routes: readonly Route<Principal>[], operation: string): RouteReader {
  const route = routes.find((each) => each.operation === operation && each.method === 'GET');
  if (route === undefined) throw new Error(`No GET route has the operation ${operation}`);
  const { access, path } = route;
  const readParams = compileParameters(path, route.params);
  const readQuery = route.query === undefined ? () => ({}) : compileJsonQuery(route.query);
  return {
    access,
    async read({ params = {}, query = {} }, { caller, requestId, address, signal, usage = UNRECORDED }) {
      usage.answeredBy(operation);
      const refusal = refusalOf(caller, access);
      if (refusal !== null) throw refusal;
      const reply = await route.handle({
        caller,
        requestId,
        address,
        peer: address,
        signal,
        headers: HEADERS,
        refusal: null,
        usage,
        note: () => {},
        url: path,
        mediaType: 'application/json',
        params: readParams(params),
        query: readQuery(query),
        body: undefined,
      });
      const json = jsonOf(reply);
      if (json === undefined) throw new Error(`${operation} answered without JSON`);
      return json;
    },
  };
}
