// Entry module of the map page: the list, the chips and the map follow one state without a new page.

import './trusted-types.ts';
import { rebased } from '../view/parameters.ts';
import { showAccount } from './account-menu.ts';
import { after } from './clock.ts';
import { boxOf, Explorer, type MapPane } from './explorer.ts';
import { FilterPane } from './filter-pane.ts';
import { HomeSheet } from './home/home-sheet.ts';
import { ListPane } from './list-pane.ts';
import { DrawnMap } from './map/drawn-map.ts';
import { adoptStyle } from './map/symbols-style.ts';
import { PhoneSheet } from './phone-sheet.ts';
import { showPlaces, startExplorerSearch } from './search/explorer-search.ts';
import { SearchWatch } from './search/watch-search.ts';
import { onChange } from './session.ts';

/** Milliseconds until a view is read again whose homes are still being loaded. */
const LOADING_PAUSE = 5_000;

showAccount();
const main = document.getElementById('content');
const section = document.getElementById('map');
const side = document.getElementById('list-side');
if (main !== null && section !== null && side !== null) start(main, section, side);

function start(content: HTMLElement, mapSection: HTMLElement, listSide: HTMLElement): void {
  adoptStyle();
  let pane: MapPane | null = null;
  /** Who looks; undefined: it is not known yet. */
  let reader: string | null | undefined;
  let cancelList: () => void = () => undefined;
  const list = new ListPane(listSide, {
    onPoint: (id) => {
      const home = id === null ? undefined : list.find(id);
      const hasPosition = home !== undefined && home.lng !== null && home.lat !== null;
      pane?.light(id, hasPosition ? [home.lng ?? 0, home.lat ?? 0] : null);
    },
    onEnd: () => void explorer.loadMore(),
  });
  const homes = new HomeSheet({
    onOpen: (id) => pane?.markSeen(id),
    onView: (parameters) => void explorer.go(parameters, 'push'),
  });
  const filters = new FilterPane(content, {
    onFollow: (target) => void explorer.follow(target),
    onLeave: (target) => void explorer.go(target, 'push'),
    rebased: (target) => rebased(explorer.shown, target, explorer.parameters),
  });
  const explorer = new Explorer({
    map: () => pane,
    showList: (view, parameters, isMore) => {
      list.show(view, parameters, isMore, reader != null);
      cancelList();
      // A list that came too soon after others comes by itself.
      if (view.limit?.code === 'RATE_LIMITED')
        cancelList = after(view.limit.retryAfter * 1_000, () => void explorer.load());
      else if (view.loading !== null) cancelList = after(LOADING_PAUSE, () => void explorer.load());
      showPlaces(view, parameters);
      watch.show(parameters);
    },
    showFilters: (view, parameters, counts) => {
      filters.show(view, parameters, counts);
      if (view.total === 0) list.showWays(parameters, counts.ways);
    },
    showTrouble: (trouble) => list.showTrouble(trouble),
    showBusy: (isBusy) => list.showBusy(isBusy),
  });
  new PhoneSheet(listSide, { onRest: () => pane?.rest() });
  const watch = new SearchWatch(explorer);
  startExplorerSearch(explorer, (id) => homes.open(id));
  // At first, and whenever somebody signs in or out: what may be seen then differs. A new token of the same person changes nothing.
  void onChange(({ session }) => {
    const next = session === null ? null : `${session.tier} ${session.hasKey}`;
    if (next === reader) return;
    reader = next;
    void explorer.load();
  });
  const draw = (): void => {
    pane = new DrawnMap(mapSection, explorer);
  };
  if (!hasWebGl()) {
    draw();
    return;
  }
  void import('./map/live-pane.ts')
    .then(async ({ openLivePane }) => {
      pane = await openLivePane(mapSection, explorer, {
        onPoint: (id) => list.light(id),
        onPin: (pin) => list.light(pin.id, true),
        find: (id) => list.find(id),
      });
      const { view, shown } = explorer;
      if (view === null) return;
      // The view may have become another one while the map was loaded.
      pane.moveTo(view.box, boxOf(shown) !== null);
      pane.show(view, shown);
    })
    .catch((error: unknown) => {
      console.warn(error);
      draw();
    });
}

/** Whether this browser can draw the live map at all. */
function hasWebGl(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null;
}
