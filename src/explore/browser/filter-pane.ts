// Bar of filters: rendered for each view, its links and forms followed without a new page.

import { render } from 'lit-html';
import { cleanQuery } from '../clean-query.ts';
import { type ApiPanel, apiPanelOf } from '../parts/api-panel.ts';
import { filterBar } from '../parts/filter-bar.ts';
import { activeFilters } from '../parts/filters.ts';
import { countWords } from '../parts/words.ts';
import type { FilterCounts } from '../view/filter-counts.ts';
import { type Parameters, readParameters, writeQuery } from '../view/parameters.ts';
import { apiRequests, stateOf } from '../view/state.ts';
import { after } from './clock.ts';
import { kindOf, serviceUrl } from './explorer.ts';
import { followedLink } from './links.ts';
import { getJson } from './requests.ts';
import { TAGS } from './tags.ts';
import type { View } from './view.ts';

/** Milliseconds without typing before the number of a form is requested. */
const DEBOUNCE = 200;
const PAGE = new URL('explore', new URL('.', location.href)).pathname;

export class FilterPane {
  readonly #main: HTMLElement;
  readonly #onChange: (parameters: Parameters) => void;
  readonly #host = document.createElement('div');
  /** What the requests cost, where the API is, as the server wrote it. */
  readonly #cost: string;
  readonly #publicUrl: string;
  #cancelCount: () => void = () => undefined;
  #counting = new AbortController();

  constructor(main: HTMLElement, onChange: (parameters: Parameters) => void) {
    this.#main = main;
    this.#onChange = onChange;
    this.#host.className = 'host';
    const [cost = ''] = (main.querySelector('#api .small')?.textContent ?? '').split('Limits');
    this.#cost = cost.trim();
    const canonical = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? location.href;
    this.#publicUrl = canonical.replace(/\/explore.*$/, '');
    document.addEventListener('click', (event) => this.#followLink(event));
    document.addEventListener('submit', (event) => this.#followForm(event));
    main.addEventListener('input', (event) => this.#countForm(event));
  }

  show(view: View, parameters: Parameters, counts: FilterCounts): void {
    const state = stateOf(parameters);
    const context = {
      kind: state.kind,
      currency: view.currency,
      areas: new Map(view.areas.map(({ id, name }) => [id, name])),
    };
    const bar = filterBar(TAGS, {
      ...context,
      parameters,
      counts,
      median: view.medianPrice,
      api: this.#apiPanel(view, parameters),
      search: parameters.get('q') ?? '',
    });
    const old = this.#main.querySelector(':scope > #filters');
    if (old !== null) old.replaceWith(this.#host);
    render(bar, this.#host);
  }

  #apiPanel(view: View, parameters: Parameters): ApiPanel {
    const state = stateOf(parameters);
    const requests = apiRequests(state, this.#publicUrl, { bbox: view.box.join(','), zoom: view.zoom });
    return apiPanelOf(requests, state.kind, { cost: this.#cost, root: '' });
  }

  /** A link to another view of this page changes the state instead. */
  #followLink(event: MouseEvent): void {
    const url = followedLink(event);
    if (url === null || url.origin !== location.origin || url.pathname !== PAGE || url.hash !== '') return;
    event.preventDefault();
    this.#apply(readParameters(url.search));
  }

  #followForm(event: SubmitEvent): void {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || new URL(form.action, location.href).pathname !== PAGE) return;
    // Search boxes follow their own text.
    if (form.method !== 'get' || event.defaultPrevented) return;
    event.preventDefault();
    this.#apply(parametersOf(form));
  }

  #apply(parameters: Parameters): void {
    for (const open of this.#main.querySelectorAll<HTMLDetailsElement>('details.pop[open]')) {
      open.open = false;
      if (open.contains(document.activeElement)) open.querySelector('summary')?.focus();
    }
    this.#onChange(parameters);
  }

  /** The button of a form says what it would give. */
  #countForm(event: Event): void {
    const form =
      event.target instanceof Element ? event.target.closest<HTMLFormElement>('form[data-filter]') : null;
    const button = form?.querySelector<HTMLElement>('[data-show]') ?? null;
    if (form === null || button === null) return;
    this.#cancelCount();
    this.#counting.abort();
    this.#counting = new AbortController();
    const { signal } = this.#counting;
    this.#cancelCount = after(DEBOUNCE, () => void this.#showCount(parametersOf(form), button, signal));
  }

  async #showCount(parameters: Parameters, button: HTMLElement, signal: AbortSignal): Promise<void> {
    try {
      const { total } = await getJson<View>(serviceUrl(`explore/view?${writeQuery(parameters)}`), signal);
      button.textContent = `Show ${countWords(total)} ${total === 1 ? 'home' : 'homes'}`;
    } catch {
      // Without a number the button still works, and the view that it leads to says what is wrong.
      if (!signal.aborted) button.textContent = 'Show homes';
    }
  }
}

/** The view that a form leads to. */
function parametersOf(form: HTMLFormElement): Parameters {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const { parameters, find } = cleanQuery(new URLSearchParams(fields).toString());
  return find === null ? parameters : new Map([...parameters, ['q', find] as const]);
}

/** Filters in force, for what depends on them. */
export const filtersOf = (view: View, parameters: Parameters) =>
  activeFilters(parameters, {
    kind: kindOf(parameters),
    currency: view.currency,
    areas: new Map(view.areas.map(({ id, name }) => [id, name])),
  });
