// Wiring of the MCP endpoint: what it shows over the routes of the API, and what it follows.

import type { FeedLimit } from '../access/limits/stream-limit.ts';
import { type UsageParts, withOwnerPlan } from '../access/routes.ts';
import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import type { Outlines } from '../areas/outlines/outlines.ts';
import type { ChangeListeners } from '../changes/change-listeners.ts';
import type { ExplorerAccess } from '../explore/allowance/allowance.ts';
import type { Route } from '../http/frame/route.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { ChangeState } from '../listings/change-state.ts';
import { appDocument } from '../mcp/app/app-document.ts';
import { createCompletion } from '../mcp/completion.ts';
import { ENDPOINT_ACCESS } from '../mcp/gate.ts';
import { createPrompts } from '../mcp/prompts.ts';
import { createResources } from '../mcp/resources/resources.ts';
import { type SubscriptionOptions, Subscriptions } from '../mcp/resources/subscriptions.ts';
import type { McpRouteOptions } from '../mcp/routes.ts';
import { createTools } from '../mcp/tools/create-tools.ts';
import type { ServiceUsage } from '../usage/usage-recorder.ts';
import type { CredentialChecks } from '../watch/feeds/credential-checks.ts';
import type { FeedHub } from '../watch/feeds/feed-hub.ts';
import { viewOf } from '../watch/matching/decide-events.ts';
import { VERSION } from './version.ts';

export interface McpParts extends Pick<UsageParts, 'findOwnerPlan'> {
  readonly report: (error: unknown) => void;
  readonly publicUrl: string;
  readonly explorer: Pick<ExplorerAccess, 'isOff'>;
  readonly outlines: Pick<Outlines, 'in'>;
  readonly metrics: Metrics;
  readonly tiers: Tiers;
  readonly usage: Pick<ServiceUsage, 'asked'>;
  readonly clock: Clock;
  readonly hub: Pick<FeedHub, 'listen'>;
  readonly changes: Pick<ChangeListeners<ChangeState>, 'listen'>;
  readonly checks: Pick<CredentialChecks, 'add'>;
  readonly feeds: FeedLimit;
  /** Aborts when the service begins to stop. */
  readonly stopping: AbortSignal;
}

/** The endpoint over these routes, of which its tools and resources are made. */
export function mcpParts(routes: readonly Route<Principal>[], parts: McpParts): McpRouteOptions {
  const { publicUrl, metrics, tiers, clock, report, stopping, explorer, outlines } = parts;
  const prompts = createPrompts();
  const appPage = async (): Promise<string> => appDocument(await outlines.in(null, null), VERSION);
  const resources = createResources({ routes, tiers, appPage });
  const subscriptions = new Subscriptions({ resources, clock, ...followers(parts) });
  stopping.addEventListener('abort', () => subscriptions.close());
  metrics.gauge(
    'freehold_mcp_subscriptions_open',
    'Open streams of updates of the MCP endpoint.',
    () => subscriptions.size,
  );
  return {
    publicUrl,
    metrics,
    onAsked: (asked) => parts.usage.asked(asked),
    clock,
    version: VERSION,
    tools: new Map(
      createTools(routes, { publicUrl, hasExplorer: !explorer.isOff, report, clock }).map((tool) => [
        tool.name,
        tool,
      ]),
    ),
    resources,
    prompts,
    subscriptions,
    complete: createCompletion({ routes, prompts }),
  };
}

/** What subscriptions hold and follow. */
function followers(parts: McpParts): Omit<SubscriptionOptions, 'resources' | 'clock'> {
  const { hub, changes, checks, feeds } = parts;
  const { resource = '' } = ENDPOINT_ACCESS;
  return {
    openFeed: async (caller) => feeds.open(await withOwnerPlan(parts, caller)),
    checkCredential: ({ access, ...stream }) => checks.add({ ...stream, access: { ...access, resource } }),
    followWatcher: (watcher, onEvent) => hub.listen(watcher, onEvent),
    // Of a listing that is hidden, nobody is notified; that it is hidden from now on, its followers are.
    followListing: (listingId, onChange) =>
      changes.listen(listingId, (change) => {
        if (viewOf(change, false) !== 0) onChange();
      }),
  };
}
