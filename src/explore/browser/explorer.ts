// Explorer of this page: one state, shown by the URL, the map, the list and the chips alike.

import type { MapBox } from '../../page/map/mercator.ts';
import { offersFor } from '../parts/offers.ts';
import { changed, type Parameters, readParameters, rebased, writeQuery } from '../view/parameters.ts';
import { stateOf } from '../view/state.ts';
import { after } from './clock.ts';
import { getJson, Refusal } from './requests.ts';
import { NO_VIEW_COUNTS, type View, type ViewCounts } from './view.ts';

/** The map of the page, live or drawn. */
export interface MapPane {
  /** Shows the box that the URL names, or one of the service's choice with room around it. */
  moveTo(box: MapBox, isNamed: boolean): void;
  show(view: View, parameters: Parameters): void;
  /** Points at a home, null at none; `position` is where it lies. */
  light(id: string | null, position: readonly [lng: number, lat: number] | null): void;
  /** The home has been opened. */
  markSeen(id: string): void;
  /** It has another height now, and shows more or less. */
  rest(): void;
}

/** What is in the way of a view. */
export type Trouble =
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly parameters: Parameters }
  /** The answer takes long. */
  | { readonly kind: 'slow' };

export interface ExplorerPanes {
  readonly map: () => MapPane | null;
  /** The list begins again, or goes on. */
  showList(view: View, parameters: Parameters, isMore: boolean): void;
  showFilters(view: View, parameters: Parameters, counts: ViewCounts): void;
  /** Why the view is not the one of the URL; null: it is. */
  showTrouble(trouble: Trouble | null): void;
  /** Whether another view has been waited for long enough to say so. */
  showBusy(isBusy: boolean): void;
}

export type HistoryEntry = 'push' | 'replace' | 'none';

/** Milliseconds without movement before a view is requested. */
const DEBOUNCE = 100;
/** Milliseconds before a page looks as if it waited, and before it says why. */
const BUSY_AFTER = 300;
const SLOW_AFTER = 5_000;

/** Where the service's root is: the page stands at `explore` below it. */
export const ROOT = new URL('.', location.href);
const PAGE = new URL('explore', ROOT).pathname;
export const serviceUrl = (path: string): string => new URL(path, ROOT).href;

export class Explorer {
  readonly #panes: ExplorerPanes;
  readonly #written: Parameters = readParameters(location.search);
  #parameters = this.#written;
  /** Those of the view that is shown, from which the links and forms on the page were made. */
  #shown: Parameters = this.#parameters;
  #view: View | null = null;
  #counts: ViewCounts | null = null;
  readonly #first = Promise.withResolvers<View>();
  #request = new AbortController();
  #isLoadingMore = false;
  #cancelRetry: () => void = () => undefined;
  #cancelMove: () => void = () => undefined;

  constructor(panes: ExplorerPanes) {
    this.#panes = panes;
    addEventListener('popstate', () => {
      const parameters = readParameters(location.search);
      // A home lies over the map, which stays as it is.
      if (location.pathname !== PAGE) return;
      // Only the home that is open may have changed.
      if (writeQuery(parameters) === writeQuery(this.#parameters)) return;
      void this.go(parameters, 'none');
    });
  }

  get parameters(): Parameters {
    return this.#parameters;
  }

  /** The parameters of the view that is shown. */
  get shown(): Parameters {
    return this.#shown;
  }

  get view(): View | null {
    return this.#view;
  }

  /** The first view that the service gives. */
  get firstView(): Promise<View> {
    return this.#first.promise;
  }

  /** Shows the view of these parameters; requests that are under way for another are aborted. */
  async go(parameters: Parameters, entry: HistoryEntry): Promise<void> {
    this.#cancelMove();
    this.#parameters = parameters;
    const query = writeQuery(parameters);
    const url = query === '' ? PAGE : `${PAGE}?${query}`;
    const isSame = location.pathname === PAGE && query === writeQuery(readParameters(location.search));
    if (entry === 'push' && !isSame) history.pushState(null, '', url);
    // While a home lies over the map, the address is that of the home.
    else if (entry !== 'none' && location.pathname === PAGE) history.replaceState(history.state, '', url);
    const box = boxOf(parameters);
    if (entry !== 'replace' && box !== null) this.#panes.map()?.moveTo(box, true);
    await this.load();
  }

  /**
   * Follows a link or form of the page: what it changes is changed in the state as it is now, though the map was moved or another filter
   * chosen since it was written.
   */
  follow(target: Parameters): Promise<void> {
    return this.go(rebased(this.#shown, target, this.#parameters), 'push');
  }

  /** Follows the map once it rests. */
  followMap(box: { readonly bbox: string; readonly zoom: string }): void {
    this.#cancelMove();
    this.#cancelMove = after(DEBOUNCE, () => void this.go(changed(this.#parameters, box), 'replace'));
  }

  /** Requests the view of the state, and then its counts. */
  async load(): Promise<void> {
    this.#cancelRetry();
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    const parameters = this.#parameters;
    const stopWaiting = this.#wait();
    try {
      const view = await getJson<View>(serviceUrl(`explore/view?${writeQuery(parameters)}`), signal);
      this.#show(view, parameters);
      void this.#count(view, parameters, signal);
    } catch (error) {
      if (!signal.aborted) this.#refuse(error, () => void this.load());
    } finally {
      stopWaiting();
    }
  }

  /** Adds the next page to the list, for people who are signed in. */
  async loadMore(): Promise<void> {
    const cursor = this.#view?.nextCursor ?? null;
    if (cursor === null || this.#isLoadingMore) return;
    this.#isLoadingMore = true;
    this.#cancelRetry();
    const { signal } = this.#request;
    const parameters = changed(this.#shown, { cursor });
    try {
      const view = await getJson<View>(serviceUrl(`explore/view?${writeQuery(parameters)}`), signal);
      if (this.#view !== null) this.#view = { ...this.#view, nextCursor: view.nextCursor };
      this.#panes.showTrouble(null);
      this.#panes.showList(view, this.#shown, true);
    } catch (error) {
      if (!signal.aborted) this.#refuse(error, () => void this.loadMore());
    } finally {
      this.#isLoadingMore = false;
    }
  }

  #show(view: View, parameters: Parameters): void {
    this.#view = view;
    this.#shown = parameters;
    this.#first.resolve(view);
    const map = this.#panes.map();
    if (boxOf(parameters) === null) map?.moveTo(view.box, false);
    map?.show(view, parameters);
    this.#panes.showTrouble(null);
    this.#panes.showList(view, parameters, false);
    // The chips are those of the view at once; their numbers stay until the new ones come.
    if (this.#counts === null && parameters === this.#written) return;
    const offered = new Set(offersFor(parameters).map(({ label }) => label));
    const { offers, ...others } = this.#counts ?? NO_VIEW_COUNTS;
    const kept = offers.filter(({ label }) => offered.has(label));
    this.#panes.showFilters(view, parameters, { ...others, without: {}, ways: [], offers: kept });
  }

  /** Without counts the filters work all the same; what passes by itself is requested again. */
  async #count(view: View, parameters: Parameters, signal: AbortSignal): Promise<void> {
    const url = serviceUrl(`explore/facets?${writeQuery(parameters)}`);
    try {
      this.#counts = await getJson<ViewCounts>(url, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      this.#counts = NO_VIEW_COUNTS;
      const { retryAfter } = error;
      if (retryAfter !== null)
        this.#cancelRetry = after(retryAfter, () => void this.#count(view, parameters, signal));
    }
    this.#panes.showFilters(view, parameters, this.#counts);
  }

  /** Says that an answer is waited for once it takes noticeably long; returns what ends that. */
  #wait(): () => void {
    const cancels = [
      after(BUSY_AFTER, () => this.#panes.showBusy(true)),
      after(SLOW_AFTER, () => this.#panes.showTrouble({ kind: 'slow' })),
    ];
    return () => {
      for (const cancel of cancels) cancel();
      this.#panes.showBusy(false);
    };
  }

  /** The page stays as it is; what passes by itself is waited for. */
  #refuse(error: unknown, retry: () => void): void {
    if (!(error instanceof Refusal)) throw error;
    this.#panes.showTrouble({ kind: 'refused', refusal: error, parameters: this.#parameters });
    if (error.retryAfter !== null) this.#cancelRetry = after(Math.max(1_000, error.retryAfter), retry);
  }
}

/** The box that the parameters name; null: none. */
export function boxOf(parameters: Parameters): MapBox | null {
  const edges = (parameters.get('bbox') ?? '').split(',').map(Number);
  return edges.length === 4 && edges.every(Number.isFinite) ? (edges as unknown as MapBox) : null;
}

export const kindOf = (parameters: Parameters) => stateOf(parameters).kind;
