// Reader of the table of channels: by which one each route shows listings. What passes through the MCP endpoint is of its channel.

import type { Channel } from '../access/tiers/reach.ts';
import type { Route } from '../http/frame/route.ts';
import CHANNELS from './channels.json' with { type: 'json' };

/** Operations by channel; `none`: their answers hold no listing, and nothing that is counted or computed of listings. */
const { none: WITHOUT_LISTINGS, ...OPERATIONS } = CHANNELS;

const CHANNEL_OF: ReadonlyMap<string, Channel> = new Map(
  Object.entries(OPERATIONS).flatMap(([channel, operations]) =>
    operations.map((operation) => [operation, channel as Channel] as const),
  ),
);

/** The channel of an operation; null: it shows no listings. Undefined where the table does not say. */
export function channelOf(operation: string): Channel | null | undefined {
  const isWithout = WITHOUT_LISTINGS.includes(operation) || isFile(operation);
  return CHANNEL_OF.get(operation) ?? (isWithout ? null : undefined);
}

/** Documents and icons, which are named by their paths. */
const isFile = (operation: string): boolean => /^(show|get) \//.test(operation);

/** The routes, each with its channel. Throws for one that the table does not have. */
export function withChannels<Caller>(routes: readonly Route<Caller>[]): Route<Caller>[] {
  return routes.map(withChannel);
}

function withChannel<Caller>(route: Route<Caller>): Route<Caller> {
  const channel = channelOf(route.operation);
  if (channel === undefined)
    throw new Error(`The table of channels does not say how ${route.operation} shows listings`);
  return {
    ...route,
    ...(channel !== null && { access: { ...route.access, channel } }),
    ...(route.variant !== undefined && { variant: withChannel(route.variant) }),
  };
}
