// Owns where a request goes: one that has no body straight to its route, any other by way of those who read bodies.

import type { RequestListener } from 'node:http';
import createRouter from 'find-my-way';
import type { Dispatcher } from '../frame/dispatch.ts';
import { methodsOf, type Plan } from '../frame/plan.ts';
import { unreadableAddress } from '../output/problems.ts';

const NO_QUERY = Object.freeze({});

/**
 * @param plans the routes that are asked by GET
 * @param partLength longest variable part of a path
 * @param onward takes the requests of every method but GET and HEAD
 */
export function createListener<Caller>(
  dispatcher: Dispatcher<Caller>,
  plans: readonly Plan<Caller>[],
  { partLength, onward }: { readonly partLength: number; readonly onward: RequestListener },
): RequestListener {
  const find = placesOf(plans, partLength);
  return (request, response) => {
    const { method, url = '/' } = request;
    if (method !== 'GET' && method !== 'HEAD') return onward(request, response);
    const found = find(method, url);
    if (found === null) dispatcher.unreachable(request, response);
    else if (found.store === null)
      dispatcher.fail(dispatcher.openStray(request, response), unreadableAddress());
    else dispatcher.run(found.store, request, response, found.params);
  };
}

interface Found<Caller> {
  readonly params: Readonly<Record<string, string>>;
  /** Null where the address cannot be read. */
  readonly store: Plan<Caller> | null;
}

function placesOf<Caller>(plans: readonly Plan<Caller>[], partLength: number) {
  const handler = () => undefined;
  // Query strings are read by the route's own strict parser.
  const router = createRouter({
    maxParamLength: partLength,
    querystringParser: () => NO_QUERY,
    onBadUrl: handler,
  });
  for (const plan of plans) router.on([...methodsOf(plan.route)], plan.route.path, handler, plan);
  return (method: 'GET' | 'HEAD', url: string) => router.find(method, url) as Found<Caller> | null;
}
