// Explorer of this page: one state, shown by the URL, the map, the list and the chips alike.

import type { MapBox } from '../../page/map/mercator.ts';
import type { FilterCounts } from '../view/filter-counts.ts';
import { NO_COUNTS } from '../view/filter-counts.ts';
import { changed, type Parameters, readParameters, writeQuery } from '../view/parameters.ts';
import { stateOf } from '../view/state.ts';
import { after } from './clock.ts';
import { getJson, Refusal } from './requests.ts';
import type { View } from './view.ts';

/** The map of the page, live or drawn. */
export interface MapPane {
  /** Shows the box where the state names one, else that of the view. */
  moveTo(box: MapBox): void;
  show(view: View, parameters: Parameters): void;
}

export interface ExplorerPanes {
  readonly map: () => MapPane | null;
  /** The list begins again, or goes on. */
  showList(view: View, parameters: Parameters, isMore: boolean): void;
  showFilters(view: View, parameters: Parameters, counts: FilterCounts): void;
  /** Why the view is not the one that was asked for; null: it is. */
  showRefusal(refusal: Refusal | null, retryIn: number | null): void;
}

export type HistoryEntry = 'push' | 'replace' | 'none';

/** Milliseconds without movement before a view is requested. */
const DEBOUNCE = 100;

/** Where the service's root is: the page stands at `explore` below it. */
export const ROOT = new URL('.', location.href);
const PAGE = new URL('explore', ROOT).pathname;
export const serviceUrl = (path: string): string => new URL(path, ROOT).href;

export class Explorer {
  readonly #panes: ExplorerPanes;
  #parameters: Parameters = readParameters(location.search);
  #view: View | null = null;
  readonly #first = Promise.withResolvers<View>();
  #request = new AbortController();
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

  get view(): View | null {
    return this.#view;
  }

  /** The first view that the service gives. */
  get firstView(): Promise<View> {
    return this.#first.promise;
  }

  /** Shows the view of these parameters; requests that are under way for another are aborted. */
  async go(parameters: Parameters, entry: HistoryEntry): Promise<void> {
    this.#parameters = parameters;
    const query = writeQuery(parameters);
    const url = query === '' ? PAGE : `${PAGE}?${query}`;
    if (entry === 'push') history.pushState(null, '', url);
    // While a home lies over the map, the address is that of the home.
    if (entry === 'replace' && location.pathname === PAGE) history.replaceState(history.state, '', url);
    const box = boxOf(parameters);
    if (entry !== 'replace' && box !== null) this.#panes.map()?.moveTo(box);
    await this.load();
  }

  /** Follows the map once it rests. */
  follow(box: { readonly bbox: string; readonly zoom: string }): void {
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
    const query = writeQuery(parameters);
    try {
      const view = await getJson<View>(serviceUrl(`explore/view?${query}`), signal);
      this.#view = view;
      this.#first.resolve(view);
      const map = this.#panes.map();
      if (boxOf(parameters) === null) map?.moveTo(view.box);
      map?.show(view, parameters);
      this.#panes.showRefusal(null, null);
      this.#panes.showList(view, parameters, false);
      const counts = await getJson<FilterCounts>(serviceUrl(`explore/facets?${query}`), signal).catch(
        (error: unknown) => {
          if (signal.aborted || !(error instanceof Refusal)) throw error;
          return NO_COUNTS;
        },
      );
      this.#panes.showFilters(view, parameters, counts);
    } catch (error) {
      if (!signal.aborted) this.#wait(error);
    }
  }

  /** Adds the next page to the list, for people who are signed in. */
  async loadMore(): Promise<void> {
    const cursor = this.#view?.nextCursor ?? null;
    if (cursor === null) return;
    const { signal } = this.#request;
    const parameters = changed(this.#parameters, { cursor });
    try {
      const view = await getJson<View>(serviceUrl(`explore/view?${writeQuery(parameters)}`), signal);
      if (this.#view !== null) this.#view = { ...this.#view, nextCursor: view.nextCursor };
      this.#panes.showList(view, this.#parameters, true);
    } catch (error) {
      if (!signal.aborted) this.#wait(error);
    }
  }

  /** The page stays as it is; what passes by itself is waited for. */
  #wait(error: unknown): void {
    if (!(error instanceof Refusal)) throw error;
    this.#count(error, error.retryAfter === null ? null : Math.max(1, Math.ceil(error.retryAfter / 1_000)));
  }

  #count(refusal: Refusal, seconds: number | null): void {
    if (seconds === 0) return void this.load();
    this.#panes.showRefusal(refusal, seconds);
    if (seconds !== null) this.#cancelRetry = after(1_000, () => this.#count(refusal, seconds - 1));
  }
}

/** The box that the parameters name; null: none. */
function boxOf(parameters: Parameters): MapBox | null {
  const edges = (parameters.get('bbox') ?? '').split(',').map(Number);
  return edges.length === 4 && edges.every(Number.isFinite) ? (edges as unknown as MapBox) : null;
}

export const kindOf = (parameters: Parameters) => stateOf(parameters).kind;
