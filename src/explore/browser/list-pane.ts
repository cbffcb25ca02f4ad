// List of the page: its head, its rows, and what stands in their place, rendered again for each view.

import { render } from 'lit-html';
import { isOfSold } from '../parts/filters.ts';
import { homeRow } from '../parts/home-row.ts';
import { limitPanel } from '../parts/limits.ts';
import { listHead, pageLinks } from '../parts/list-head.ts';
import { currencyNotice, emptyList, loadingNotice, type Notice, notice } from '../parts/notices.ts';
import type { CountedChange } from '../view/filter-counts.ts';
import { linkTo, type Parameters, writeQuery } from '../view/parameters.ts';
import { now } from './clock.ts';
import { kindOf, type Trouble } from './explorer.ts';
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
  #lit: string | null = null;
  #query: string | null = null;
  #loading: View['loading'] = null;
  /** What the view leaves out by its currency. */
  #money: Notice | null = null;
  /** When the view that is shown was read. */
  #asOf: string | null = null;

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
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#end.disconnect();
      events.onEnd();
    });
  }

  /** The home with this id, if its row is shown. */
  find(id: string): View['list'][number] | undefined {
    return this.#rows.find((row) => row.id === id);
  }

  show(view: View, parameters: Parameters, isMore: boolean, isEndless: boolean): void {
    this.#rows = isMore ? [...this.#rows, ...view.list] : view.list;
    this.#asOf = view.asOf;
    const { total, medianPrice: median, currency } = view;
    const kind = kindOf(parameters);
    const head = { parameters, total, kind, isSold: isOfSold(parameters), median, currency };
    const focused = homeOf(document.activeElement);
    this.#clear();
    render(listHead(TAGS, head), this.#head);
    const rows = this.#rows.map((home, at) =>
      homeRow(TAGS, home, { root: '', now: now(), isInSight: at < 5 }),
    );
    const list = rows.length === 0 ? null : html`<ol class="rows" id="list">${rows}</ol>`;
    this.#loading = view.loading;
    this.#money = currencyNotice(view, parameters);
    render([this.#loadingNote(), this.#moneyNote(), list, limitPanel(TAGS, view, '')], this.#body);
    render(
      pageLinks(TAGS, {
        parameters,
        total,
        first: isMore ? 1 : view.firstRow,
        shown: this.#rows.length,
        nextCursor: view.nextCursor,
        signIn: view.limitedTo === null ? null : 'explore/sign-in',
      }),
      this.#foot,
    );
    // The same view, read again, leaves the reader where they are.
    const query = writeQuery(parameters);
    if (!isMore && query !== this.#query) this.#scroller.scrollTop = 0;
    this.#query = query;
    this.#end.disconnect();
    const last = this.#body.querySelector('li:last-child');
    if (isEndless && view.nextCursor !== null && last !== null) this.#end.observe(last);
    // Rows are used again for other homes.
    this.light(this.#lit);
    if (focused !== null && homeOf(document.activeElement) !== focused)
      this.#body.querySelector<HTMLElement>(`.row[data-home="${CSS.escape(focused)}"] a`)?.focus();
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
    render([this.#loadingNote(), this.#moneyNote(), emptyList(TAGS, text, links)], this.#body);
  }

  #moneyNote() {
    return this.#money === null ? null : notice(TAGS, this.#money);
  }

  #loadingNote() {
    return this.#loading === null ? null : notice(TAGS, loadingNotice(this.#loading));
  }

  showTrouble(trouble: Trouble | null): void {
    // The notice that the server wrote says the same, and no longer changes.
    if (trouble !== null) for (const old of this.#scroller.querySelectorAll(':scope > .notice')) old.remove();
    render(trouble === null ? null : notice(TAGS, noticeOf(trouble, this.#asOf)), this.#notes);
  }

  /** The rows stay while others are waited for. */
  showBusy(isBusy: boolean): void {
    this.#side.setAttribute('aria-busy', String(isBusy));
  }

  /** Marks the row of the home whose pin is pointed at. */
  light(id: string | null, isScrolled = false): void {
    this.#lit = id;
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

function noticeOf(trouble: Trouble, asOf: string | null): Notice {
  const seen = asOf === null ? '' : `You see what was loaded at ${timeOfDay(Date.parse(asOf))}. `;
  if (trouble.kind === 'slow')
    return {
      kind: 'warning',
      title: 'The answer takes longer than usual',
      text: `${seen}It changes by itself.`,
    };
  const { refusal, parameters } = trouble;
  const { status, message, retryAfter } = refusal;
  if (retryAfter === null)
    return {
      kind: 'error',
      title: 'This view cannot be shown',
      text: message,
      action: { label: 'Start again', href: 'explore' },
    };
  const wait = Math.max(1, Math.ceil(retryAfter / 1_000));
  const next = `in ${wait} s, at ${timeOfDay(now() + wait * 1_000)}`;
  if (status === 429)
    return {
      kind: 'warning',
      title: 'Too many views in a short time',
      text: `${message} ${seen}The page goes on by itself ${next}.`,
    };
  return {
    kind: 'warning',
    title: status === null ? 'The service cannot be reached' : 'The service is busy or starting',
    text: `${seen}Next try ${next}.`,
    action: { label: 'Try now', href: linkTo(parameters) },
  };
}

/** `21:45:30 UTC`, as the map says when its data is from. */
const timeOfDay = (time: number): string => `${new Date(time).toISOString().slice(11, 19)} UTC`;
