// Views of the page: what is read for the list of watchers and for one of them.

import type { KeyForm } from '../../access/key-form/key-form.ts';
import { withOwnerPlan } from '../../access/routes.ts';
import { limitAccount, type Plan, type Principal, tierName } from '../../access/tiers/tiers.ts';
import { parseTime } from '../../lib/clock.ts';
import { parseAfter } from '../../watch/events/cursor.ts';
import { ownerOfCaller } from '../../watch/events/own-watcher.ts';
import { type EventPage, type EventRow, isOpenTo, readEvents } from '../../watch/events/read-store.ts';
import { findWatcherPage } from '../../watch/list-watchers.ts';
import { findTargetAddress, type WatcherOptions } from '../../watch/resolve-target.ts';
import type { Watcher } from '../../watch/watcher.ts';
import { countWatchers, findWatcher } from '../../watch/watcher-store.ts';
import { type Delivery, listDeliveries } from '../../watch/webhooks/delivery-store.ts';
import type { Notice, WatcherView } from './elements.ts';
import { eventFacts, eventTitle } from './event-words.ts';
import { renderListPage } from './list-page.ts';
import { currencyOf, describeTarget } from './target-words.ts';
import { type DeliveryView, type EventView, renderWatcherPage } from './watcher-page.ts';

/** Watchers on a page of the list. */
const PAGE = 20;
/** On the page of a watcher. */
const EVENTS = 10;
const DELIVERIES = 20;

/** Whoever is shown something, and with what. */
export interface Viewer extends WatcherOptions {
  readonly caller: Principal;
  readonly proof: Awaited<ReturnType<KeyForm['signProof']>>;
  /** Whether the browser is asked to remember the key by a cookie. */
  readonly isRemembered: boolean;
  /** The highest plan in force over the subscriptions of an owner's watchers; null: none, or not known. */
  readonly findOwnerPlan: (owner: string) => Promise<Plan | null>;
}

/** The list. Throws INVALID_CURSOR. */
export async function showList(
  viewer: Viewer,
  cursor: string | undefined,
  notice: Notice | null,
): Promise<string> {
  const { database, tiers, caller, clock } = viewer;
  const owner = ownerOfCaller(caller);
  const { tier } = await withOwnerPlan(viewer, caller);
  const [{ watchers, page }, used] = await Promise.all([
    findWatcherPage(database, { owner, status: undefined, limit: PAGE, cursor }),
    database.read((sql) => countWatchers(sql, limitAccount(caller))),
  ]);
  return renderListPage({
    ...viewer,
    notice,
    used,
    limit: tiers[tier].watchers,
    tierName: tierName(tier),
    now: clock.now(),
    watchers: await Promise.all(watchers.map((watcher) => viewOf(viewer, watcher))),
    page: { ...page, cursor: cursor ?? null },
  });
}

/** One watcher of the viewer; null if there is none with this id. */
export async function showWatcher(viewer: Viewer, id: string, notice: Notice | null): Promise<string | null> {
  const { database, caller, clock } = viewer;
  const owner = ownerOfCaller(caller);
  const watcher = await database.read((sql) => findWatcher(sql, owner, id), { planned: 'once' });
  if (watcher === null) return null;
  const range = {
    scope: { owner, watcherId: id },
    after: parseAfter(undefined),
    limit: EVENTS,
    newestFirst: true,
    isWanted: isOpenTo(caller.reach),
    isOpen: isOpenTo(caller.reach),
  };
  const events = await database.read((sql) => readEvents(sql, range), { planned: 'once' });
  const wanted = { watcherId: id, status: undefined, after: null, limit: DELIVERIES };
  const deliveries = await database.read((sql) => listDeliveries(sql, wanted), { planned: 'once' });
  return renderWatcherPage({
    ...viewer,
    ...(await viewOf(viewer, watcher)),

    notice,
    events: eventsOf(events, currencyOf(watcher.interpretation)),
    deliveries: deliveries.map(deliveryOf),
    now: clock.now(),
  });
}

async function viewOf(viewer: Viewer, watcher: Watcher): Promise<WatcherView> {
  const { target, interpretation } = watcher;
  const address = await findTargetAddress(viewer, target, viewer.caller);
  return { watcher, target: describeTarget({ target, interpretation, address }) };
}

function deliveryOf({ url, type, at, nextAttemptAt, ...delivery }: Delivery): DeliveryView {
  return {
    ...delivery,
    eventType: type,
    host: new URL(url).host,
    at: Date.parse(at),
    nextAttemptAt: parseTime(nextAttemptAt),
  };
}

/** Events that a digest lists; its own facts say how many it has. */
const DIGEST_EVENTS = 5;

function eventsOf({ rows, contents, held }: EventPage, currency: string | null): EventView[] {
  const factsOf = (row: EventRow): readonly string[] => {
    const content = contents.find(
      ({ sequence, listingId }) => sequence === row.sequence && listingId === row.listingId,
    );
    return eventFacts(row, content, currency);
  };
  return rows.map((row) => {
    const inside = held.filter(
      ({ digest, watcherId }) => digest === row.sequence && watcherId === row.watcherId,
    );
    const listed = inside
      .slice(0, DIGEST_EVENTS)
      .map((each) => `${eventTitle(each.type)}: ${factsOf(each).join(', ')}`);
    return { type: row.type, at: Date.parse(row.at), facts: [...factsOf(row), ...listed] };
  });
}
