// Entry module of the map page: the list, the chips and the map follow one state without a new page.

import './trusted-types.ts';
import type { MapPin } from '../../page/map/drawing.ts';
import { waysOut } from '../parts/offers.ts';
import type { CountedChange } from '../view/filter-counts.ts';
import { changed, type Parameters, writeQuery } from '../view/parameters.ts';
import { showAccount } from './account-menu.ts';
import { Explorer, type MapPane, serviceUrl } from './explorer.ts';
import { FilterPane, filtersOf } from './filter-pane.ts';
import { HomeSheet } from './home/home-sheet.ts';
import { ListPane } from './list-pane.ts';
import { DrawnMap } from './map/drawn-map.ts';
import { adoptStyle } from './map/symbols-style.ts';
import { getJson } from './requests.ts';
import { showPlaces, startExplorerSearch } from './search/explorer-search.ts';
import { onChange } from './session.ts';
import type { View } from './view.ts';

/** The live map with its controls and card, loaded once the page stands. */
type LivePane = Awaited<ReturnType<typeof import('./map/live-pane.ts')['openLivePane']>>;

showAccount();
const main = document.getElementById('content');
const section = document.getElementById('map');
const side = document.getElementById('list-side');
if (main !== null && section !== null && side !== null) start(main, section, side);

function start(content: HTMLElement, mapSection: HTMLElement, listSide: HTMLElement): void {
  adoptStyle();
  let live: LivePane | null = null;
  let pane: MapPane | null = null;
  const list = new ListPane(listSide, {
    onPoint: (id) => {
      const home = id === null ? undefined : list.find(id);
      const hasPosition = home !== undefined && home.lng !== null && home.lat !== null;
      live?.light(id, hasPosition ? [home.lng ?? 0, home.lat ?? 0] : null);
    },
    onEnd: () => void explorer.loadMore(),
  });
  const homes = new HomeSheet({
    onOpen: (id) => live?.markSeen(id),
    onView: (parameters) => void explorer.go(parameters, 'push'),
  });
  const filters = new FilterPane(content, (parameters) => void explorer.go(parameters, 'push'));
  const explorer = new Explorer({
    map: () => pane,
    showList: (view, parameters, isMore) => {
      list.show(view, parameters, isMore, isSignedIn(view));
      showPlaces(view, parameters);
    },
    showFilters: (view, parameters, counts) => {
      filters.show(view, parameters, counts);
      if (view.total === 0) void showWays(view, parameters);
    },
    showRefusal: (refusal, retryIn) => list.showRefusal(refusal, retryIn),
  });
  startExplorerSearch(explorer, (id) => homes.open(id));
  const showWays = async (view: View, parameters: Parameters): Promise<void> => {
    const ways = await countWays(view, parameters);
    if (explorer.view === view) list.showWays(parameters, ways);
  };
  // At first, and whenever somebody signs in or out: what may be seen then differs.
  void onChange(() => void explorer.load());
  if (!hasWebGl()) {
    pane = new DrawnMap(mapSection);
    return;
  }
  void import('./map/live-pane.ts').then(async ({ openLivePane }) => {
    live = await openLivePane(mapSection, explorer, {
      onPoint: (id) => list.light(id),
      onPin: (pin: MapPin) => list.light(pin.id, true),
      find: (id) => list.find(id),
    });
    pane = live;
    if (explorer.view !== null) live.show(explorer.view, explorer.parameters);
  });
}

/** Whether the list goes on by itself: without credentials it has pages. */
const isSignedIn = ({ list }: View): boolean => list.length > 10;

/** Changes that lead from a view without homes to some, at most three. */
async function countWays(view: View, parameters: Parameters): Promise<readonly CountedChange[]> {
  const { signal } = new AbortController();
  const ways = waysOut(parameters, filtersOf(view, parameters));
  const counted = await Promise.all(
    ways.slice(-4).map(async (way): Promise<CountedChange> => {
      const query = writeQuery(changed(parameters, way.changes));
      const found = await getJson<View>(serviceUrl(`explore/view?${query}`), signal).catch(() => null);
      return { ...way, count: found?.total ?? 0 };
    }),
  );
  return counted.filter(({ count }) => count > 0).slice(-3);
}

/** Whether this browser can draw the live map at all. */
function hasWebGl(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null;
}
