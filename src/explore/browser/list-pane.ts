// List of the page: its head, its rows, and what stands in their place, rendered again for each view.

import { render } from 'lit-html';
import { isOfSold } from '../parts/filters.ts';
import { homeRow } from '../parts/home-row.ts';
import { listHead, pageLinks } from '../parts/list-head.ts';
import { emptyList, notice } from '../parts/notices.ts';
import type { CountedChange } from '../view/filter-counts.ts';
import { linkTo, type Parameters } from '../view/parameters.ts';
import { now } from './clock.ts';
import { kindOf } from './explorer.ts';
import type { Refusal } from './requests.ts';
import { TAGS } from './tags.ts';
import type { View } from './view.ts';

const { html } = TAGS;

export interface ListEvents {
  /** A row is pointed at by mouse or focus; null: none is. */
  onPoint(id: string | null): void;
  /** The end of the list comes into sight. */
  onEnd(): void;
}

export class ListPane {
  readonly #side: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #head: HTMLElement;
  readonly #notes: HTMLElement;
  readonly #body: HTMLElement;
  readonly #foot: HTMLElement;
  readonly #end: IntersectionObserver;
  #rows: View['list'] = [];

  constructor(side: HTMLElement, events: ListEvents) {
    this.#side = side;
    this.#scroller = side.querySelector<HTMLElement>('.scroller') ?? side;
    this.#head = hostBefore(side, this.#scroller, side.querySelector('.list-head'));
    this.#notes = hostBefore(this.#scroller, this.#scroller.firstChild, null);
    this.#body = hostBefore(this.#scroller, this.#notes.nextSibling, null);
    this.#foot = hostBefore(side, null, null);
    side.addEventListener('mouseover', (event) => events.onPoint(homeOf(event.target)));
    side.addEventListener('mouseleave', () => events.onPoint(null));
    side.addEventListener('focusin', (event) => events.onPoint(homeOf(event.target)));
    side.addEventListener('focusout', () => events.onPoint(null));
    this.#end = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) events.onEnd();
    });
  }

  /** The home with this id, if its row is shown. */
  find(id: string): View['list'][number] | undefined {
    return this.#rows.find((row) => row.id === id);
  }

  show(view: View, parameters: Parameters, isMore: boolean, isEndless: boolean): void {
    this.#rows = isMore ? [...this.#rows, ...view.list] : view.list;
    const { total, medianPrice: median, currency } = view;
    const kind = kindOf(parameters);
    const head = { parameters, total, kind, isSold: isOfSold(parameters), median, currency };
    this.#clear();
    render(listHead(TAGS, head), this.#head);
    const rows = this.#rows.map((home, at) =>
      homeRow(TAGS, home, { root: '', now: now(), isInSight: at < 5 }),
    );
    render(rows.length === 0 ? null : html`<ol class="rows" id="list">${rows}</ol>`, this.#body);
    render(
      pageLinks(TAGS, {
        parameters,
        total,
        first: isMore ? 1 : view.firstRow,
        shown: this.#rows.length,
        nextCursor: view.nextCursor,
        signIn: view.limitedTo === null ? null : 'account',
      }),
      this.#foot,
    );
    if (!isMore) this.#scroller.scrollTop = 0;
    this.#end.disconnect();
    const last = this.#body.querySelector('li:last-child');
    if (isEndless && view.nextCursor !== null && last !== null) this.#end.observe(last);
  }

  /** The ways out of a view without homes. */
  showWays(parameters: Parameters, ways: readonly CountedChange[]): void {
    const links = ways.map(({ label, changes, count }) => ({
      label,
      count,
      href: linkTo(parameters, changes),
    }));
    const text =
      ways.length === 0
        ? 'The market has no such home at the moment.'
        : 'These are the nearest views that have some.';
    render(emptyList(TAGS, text, links), this.#body);
  }

  showRefusal(refusal: Refusal | null, retryIn: number | null): void {
    render(refusal === null ? null : notice(TAGS, noticeOf(refusal, retryIn)), this.#notes);
  }

  /** Marks the row of the home whose pin is pointed at. */
  light(id: string | null, isScrolled = false): void {
    for (const row of this.#side.querySelectorAll<HTMLElement>('.row')) {
      const isLit = id !== null && row.dataset.home === id;
      row.classList.toggle('lit', isLit);
      if (isLit && isScrolled) row.scrollIntoView({ block: 'nearest' });
    }
  }

  /** What the server wrote goes with the first view. */
  #clear(): void {
    for (const old of this.#side.querySelectorAll(':scope > .list-head, :scope > .pages')) old.remove();
    for (const old of this.#scroller.querySelectorAll(':scope > .rows, :scope > .panel, :scope > .notice'))
      old.remove();
  }
}

/** An element for lit-html to render into, which takes no part in the layout. */
function hostBefore(parent: HTMLElement, before: Node | null, replaced: Element | null): HTMLElement {
  const host = document.createElement('div');
  host.className = 'host';
  parent.insertBefore(host, replaced ?? before);
  return host;
}

function homeOf(target: EventTarget | null): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('.row[data-home]') : null;
  return row?.dataset.home ?? null;
}

function noticeOf({ status, message }: Refusal, retryIn: number | null) {
  const goesOn = `The page stays as it is, and goes on by itself in ${retryIn} s.`;
  if (retryIn === null) return { kind: 'error', title: 'This view cannot be shown', text: message } as const;
  if (status === null)
    return { kind: 'warning', title: 'The service cannot be reached', text: goesOn } as const;
  if (status === 429)
    return { kind: 'warning', title: 'Too many views in a short time', text: goesOn } as const;
  return { kind: 'warning', title: 'The service is busy or starting', text: goesOn } as const;
}
