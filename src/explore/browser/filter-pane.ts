// Bar of filters: rendered for each view, its links and forms followed without a new page.

import { render } from 'lit-html';
import { cleanQuery } from '../clean-query.ts';
import { type ApiPanel, apiPanelOf } from '../parts/api-panel.ts';
import { filterBar } from '../parts/filter-bar.ts';
import { activeFilters } from '../parts/filters.ts';
import { namedCurrency } from '../parts/notices.ts';
import { viewTitle } from '../parts/title.ts';
import { countWords } from '../parts/words.ts';
import type { FilterCounts } from '../view/filter-counts.ts';
import { type Parameters, readParameters, writeQuery } from '../view/parameters.ts';
import { apiRequests, stateOf } from '../view/state.ts';
import { after } from './clock.ts';
import { serviceUrl } from './explorer.ts';
import { followedLink } from './links.ts';
import { getJson } from './requests.ts';
import { TAGS } from './tags.ts';
import type { View } from './view.ts';

/** Milliseconds without typing before the number of a form is requested. */
const DEBOUNCE = 200;
const PAGE = new URL('explore', new URL('.', location.href)).pathname;

export interface FilterEvents {
  /** A link or form of the page leads to another view, which it was written for. */
  onFollow(target: Parameters): void;
  /** A link leads to a view whatever is shown now. */
  onLeave(target: Parameters): void;
  /** The state as it would be with what a form has. */
  rebased(target: Parameters): Parameters;
}

export class FilterPane {
  readonly #main: HTMLElement;
  readonly #events: FilterEvents;
  readonly #host = document.createElement('div');
  /** What the requests cost, where the API is, as the server wrote it. */
  readonly #cost: string;
  readonly #publicUrl: string;
  /** What stands behind the view in the title of every page. */
  readonly #titleEnd = document.title.slice(document.title.lastIndexOf(' · '));
  #cancelCount: () => void = () => undefined;
  #counting = new AbortController();

  constructor(main: HTMLElement, events: FilterEvents) {
    this.#main = main;
    this.#events = events;
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
    const written = this.#main.querySelector<HTMLElement>(':scope > #filters');
    render(bar, this.#host);
    if (written !== null) takePlace(this.#host, written);
    this.#settle(view.total);
    const places = [...context.areas.values()];
    const filters = activeFilters(parameters, context);
    document.title = `${viewTitle({ parameters, kind: state.kind, places, filters })}${this.#titleEnd}`;
  }

  /** Forms that nobody is at show the values of the view, and what it has. */
  #settle(total: number): void {
    for (const form of this.#host.querySelectorAll<HTMLFormElement>('form[data-filter]')) {
      if (form.closest('details')?.open === true) continue;
      form.reset();
      const button = form.querySelector('[data-show]');
      if (button !== null) button.textContent = showWords(total);
    }
  }

  #apiPanel(view: View, parameters: Parameters): ApiPanel {
    const state = stateOf(parameters);
    const requests = apiRequests(state, this.#publicUrl, {
      bbox: view.box.join(','),
      zoom: view.zoom,
      currency: namedCurrency(view),
    });
    return apiPanelOf(requests, state.kind, { cost: this.#cost, root: '' });
  }

  /** A link to another view of this page changes the state instead. */
  #followLink(event: MouseEvent): void {
    const url = followedLink(event);
    if (url === null || url.origin !== location.origin || url.pathname !== PAGE || url.hash !== '') return;
    event.preventDefault();
    this.#close();
    const isNotice = event.target instanceof Element && event.target.closest('.notice') !== null;
    if (isNotice) this.#events.onLeave(readParameters(url.search));
    else this.#events.onFollow(readParameters(url.search));
  }

  #followForm(event: SubmitEvent): void {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || new URL(form.action, location.href).pathname !== PAGE) return;
    // Search boxes follow their own text.
    if (form.method !== 'get' || event.defaultPrevented) return;
    event.preventDefault();
    this.#close();
    this.#events.onFollow(parametersOf(form));
  }

  #close(): void {
    for (const open of this.#main.querySelectorAll<HTMLDetailsElement>('details.pop[open]')) {
      const isInside = open.contains(document.activeElement);
      open.open = false;
      if (isInside) open.querySelector('summary')?.focus();
    }
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
    this.#cancelCount = after(DEBOUNCE, () => {
      const target = this.#events.rebased(parametersOf(form));
      void this.#showCount(target, button, signal);
    });
  }

  async #showCount(parameters: Parameters, button: HTMLElement, signal: AbortSignal): Promise<void> {
    try {
      const { total } = await getJson<View>(serviceUrl(`explore/view?${writeQuery(parameters)}`), signal);
      button.textContent = showWords(total);
    } catch {
      // Without a number the button still works, and the view that it leads to says what is wrong.
      if (!signal.aborted) button.textContent = 'Show homes';
    }
  }
}

const showWords = (total: number): string => `Show ${countWords(total)} ${total === 1 ? 'home' : 'homes'}`;

/** The view that a form leads to. */
function parametersOf(form: HTMLFormElement): Parameters {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const { parameters } = cleanQuery(new URLSearchParams(fields).toString());
  return parameters;
}

/** Puts the bar where the server's stood: the panel that is open stays open, with what was typed into it. */
function takePlace(host: HTMLElement, written: HTMLElement): void {
  const focus = document.activeElement;
  const selector = focus !== null && written.contains(focus) ? selectorOf(focus) : null;
  written.replaceWith(host);
  for (const { dataset } of written.querySelectorAll<HTMLDetailsElement>('details[data-panel][open]')) {
    const panel = host.querySelector<HTMLDetailsElement>(`details[data-panel="${dataset.panel}"]`);
    if (panel === null) continue;
    panel.open = true;
    copyFields(written, panel, dataset.panel ?? '');
  }
  if (selector !== null) host.querySelector<HTMLElement>(selector)?.focus();
}

const FIELDS = 'input:not([type=hidden]),select';

function copyFields(from: HTMLElement, panel: HTMLElement, name: string): void {
  const typed = [...from.querySelectorAll<HTMLInputElement>(`details[data-panel="${name}"] :is(${FIELDS})`)];
  for (const [at, field] of panel.querySelectorAll<HTMLInputElement>(FIELDS).entries()) {
    const old = typed[at];
    if (old === undefined || old.name !== field.name) continue;
    field.value = old.value;
    field.checked = old.checked;
  }
}

/** Finds an element of the bar in another rendering of it. */
function selectorOf(element: Element): string {
  const panel = element.closest<HTMLElement>('[data-panel]')?.dataset.panel;
  const within = panel === undefined ? '' : `[data-panel="${panel}"] `;
  const name = element.getAttribute('name');
  if (name === null) return `${within}${element.localName}`;
  const value = element.getAttribute('value') ?? '';
  const isChoice = element instanceof HTMLInputElement && /^(?:radio|checkbox)$/.test(element.type);
  return `${within}[name="${name}"]${isChoice ? `[value="${value}"]` : ''}`;
}
