// The request that the front page shows, with the answer that this service gives to it now.

import type { Principal } from '../../access/tiers/tiers.ts';
import { UNRECORDED } from '../../http/frame/call-usage.ts';
import type { RequestContext, Route } from '../../http/frame/route.ts';
import { compileQuery } from '../../http/input/query.ts';
import { jsonOf } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { ExampleRequest, FrontAnswer } from '../../site/front/request.ts';

export interface FrontRequestOptions {
  readonly routes: readonly Route<Principal>[];
  readonly clock: Clock;
  /** Anybody, as the explorer shows homes to them. */
  readonly visitor: Principal;
}

/** What is known of the market before a request about it is chosen. */
export interface FrontPlace {
  readonly place: { readonly name: string; readonly isCity: boolean } | null;
  /** Whether anybody may see single homes. */
  readonly isOpen: boolean;
}

const AREAS: ExampleRequest = {
  path: '/v1/areas',
  tool: 'find_areas',
  question: 'Which cities have homes on the market, and how many?',
  parameters: [
    ['type', 'city'],
    ['limit', '1'],
  ],
  members: ['id', 'name', 'counts'],
  view: null,
};

/** The request that says most where it finds something, first; each after it finds more. */
function candidates({ place, isOpen }: FrontPlace): readonly ExampleRequest[] {
  if (!isOpen) return [AREAS];
  const where = place?.isCity === true ? place.name : null;
  const inPlace: readonly (readonly [string, string])[] = where === null ? [] : [['city', where]];
  const at = where === null ? '' : ` in ${where}`;
  const shown = [
    ['sort', 'price'],
    ['fields', 'id,price,priceChange,address.full'],
  ] as const;
  return [
    search(
      `The cheapest homes with three bedrooms or more${at} whose price dropped.`,
      [...inPlace, ['minBedrooms', '3'], ['priceChanged', 'decrease']],
      shown,
    ),
    search(`The cheapest homes for sale${at}.`, inPlace, shown),
    search('The cheapest homes for sale.', [], shown),
  ];
}

type Pairs = ExampleRequest['parameters'];

const search = (question: string, filters: Pairs, shown: Pairs): ExampleRequest => ({
  path: '/v1/search/sales',
  tool: 'search_sales',
  question,
  parameters: [...filters, ...shown],
  members: null,
  view: filters,
});

/** The first request that finds something, else the last; null where none can be answered. */
export async function answerFrontRequest(
  { routes, clock, visitor }: FrontRequestOptions,
  known: FrontPlace,
): Promise<FrontAnswer | null> {
  let answered: FrontAnswer | null = null;
  for (const request of candidates(known)) {
    const route = routes.find(({ path, method }) => method === 'GET' && path === request.path);
    if (route === undefined) continue;
    const started = clock.monotonic();
    const body = await answerOf(route, request, visitor);
    if (body === null) continue;
    answered = { request, body, milliseconds: clock.monotonic() - started };
    if (Array.isArray(body.data) && body.data.length > 0) break;
  }
  return answered;
}

/** The answer as a caller without credentials gets it; null: a refusal, such as of prices in several currencies. */
async function answerOf(
  route: Route<Principal>,
  { path, parameters }: ExampleRequest,
  visitor: Principal,
): Promise<Readonly<Record<string, unknown>> | null> {
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString();
  const context: RequestContext<Principal, Record<string, unknown>, Record<string, unknown>, unknown> = {
    caller: visitor,
    query: compileQuery(route.query)(query),
    params: {},
    body: undefined,
    headers: {},
    requestId: 'req_example',
    url: `${path}?${query}`,
    mediaType: 'application/json',
    address: '',
    peer: '',
    signal: new AbortController().signal,
    refusal: null,
    usage: UNRECORDED,
    note: () => undefined,
  };
  try {
    return jsonOf(await route.handle(context)) as Readonly<Record<string, unknown>> | null;
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null;
    throw error;
  }
}
