// Has this service watch the search of the view: the button beside the list, its dialog, and what it says afterwards.

import { render } from 'lit-html';
import { activeFilters } from '../../parts/filters.ts';
import { viewTitle } from '../../parts/title.ts';
import { type Parameters, writeQuery } from '../../view/parameters.ts';
import { stateOf } from '../../view/state.ts';
import type { Explorer } from '../explorer.ts';
import { followedLink } from '../links.ts';
import { signIn, token } from '../session.ts';
import { ROOT } from '../sign-in.ts';
import { TAGS } from '../tags.ts';

const { html } = TAGS;

/** Brings somebody who signed in meanwhile back to where they wanted to watch. */
const RETURN = '#watch';
/** What is no part of a search: its order, its pages, and how close the map is. */
const OF_PAGES = ['for', 'sort', 'cursor', 'zoom'];

type Phase =
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'form'; readonly fault: string | null; readonly isOfPlan: boolean }
  | { readonly kind: 'watched'; readonly watcherId: string };

interface Watcher {
  readonly id: string;
  readonly target: {
    readonly type: string;
    readonly listingType?: string;
    readonly query?: Readonly<Record<string, unknown>>;
  };
}

export class SearchWatch {
  readonly #explorer: Explorer;
  readonly #dialog = document.createElement('dialog');
  /** Watchers of searches by what they search for, as far as they are known here. */
  readonly #watched = new Map<string, string>();
  #phase: Phase = { kind: 'loading' };
  #parameters: Parameters;

  constructor(explorer: Explorer) {
    this.#explorer = explorer;
    this.#parameters = explorer.parameters;
    this.#dialog.className = 'watch-dialog';
    this.#dialog.setAttribute('aria-labelledby', 'watch-title');
    document.body.append(this.#dialog);
    document.addEventListener('click', (event) => {
      const isButton = event.target instanceof Element && event.target.closest('[data-watch]') !== null;
      if (!isButton || followedLink(event) === null) return;
      event.preventDefault();
      void this.open();
    });
    if (location.hash !== RETURN) return;
    history.replaceState(history.state, '', `${location.pathname}${location.search}`);
    void explorer.firstView.then(() => this.open());
  }

  /** Says on the button whether the search of the view is watched. */
  show(parameters: Parameters): void {
    const button = document.querySelector('[data-watch]');
    const text = button?.querySelector('span') ?? null;
    if (button === null || text === null) return;
    const isWatched = this.#watched.has(keyOf(parameters));
    text.textContent = isWatched ? 'Watching' : 'Watch';
    button.setAttribute('aria-label', isWatched ? 'Watching this search' : 'Watch this search');
    button.classList.toggle('on', isWatched);
  }

  async open(): Promise<void> {
    this.#parameters = this.#explorer.parameters;
    this.#set({ kind: 'loading' });
    this.#dialog.showModal();
    if ((await token().catch(() => null)) === null) return this.#set({ kind: 'signed-out' });
    await this.#findWatched();
    this.#settle();
  }

  /** Without an answer the form says at the end what is wrong. */
  async #findWatched(): Promise<void> {
    const answer = await request('v1/watchers?limit=100');
    if (!answer.ok) return;
    this.#watched.clear();
    for (const { id, target } of (answer.body as { data: readonly Watcher[] }).data)
      if (target.query !== undefined) this.#watched.set(keyOfTarget(target), id);
    this.show(this.#explorer.parameters);
  }

  #settle(): void {
    const watcherId = this.#watched.get(keyOf(this.#parameters));
    this.#set(
      watcherId === undefined
        ? { kind: 'form', fault: null, isOfPlan: false }
        : { kind: 'watched', watcherId },
    );
  }

  async #watch(): Promise<void> {
    const name = this.#dialog.querySelector<HTMLInputElement>('input')?.value.trim() ?? '';
    const button = this.#dialog.querySelector<HTMLButtonElement>('.primary');
    if (button !== null) button.disabled = true;
    const query = writeQuery(new Map([['for', stateOf(this.#parameters).kind], ...this.#parameters]));
    const target = await request(`explore/watching/target?${query}`);
    const answer = target.ok
      ? await request('v1/watchers', {
          method: 'POST',
          body: JSON.stringify({ target: target.body, ...(name !== '' && { name }) }),
        })
      : target;
    if (button !== null) button.disabled = false;
    if (!answer.ok) {
      const { detail, code } = answer.body as { detail?: string; code?: string };
      const fault = detail ?? 'The service cannot be reached. Try again.';
      return this.#set({ kind: 'form', fault, isOfPlan: code === 'TIER_RESTRICTED' });
    }
    this.#watched.set(keyOf(this.#parameters), (answer.body as Watcher).id);
    this.show(this.#explorer.parameters);
    this.#settle();
  }

  async #stop(watcherId: string): Promise<void> {
    const { ok } = await request(`v1/watchers/${encodeURIComponent(watcherId)}`, { method: 'DELETE' });
    if (!ok) return;
    this.#watched.delete(keyOf(this.#parameters));
    this.show(this.#explorer.parameters);
    this.#dialog.close();
  }

  #set(phase: Phase): void {
    this.#phase = phase;
    render(
      html`<h2 id="watch-title">${phase.kind === 'watched' ? 'You watch this search' : 'Watch this search'}</h2><p class="what">${this.#title()}</p>${this.#content()}`,
      this.#dialog,
    );
    this.#dialog.querySelector<HTMLElement>('input,.primary')?.focus();
  }

  #content() {
    const phase = this.#phase;
    const close = html`<button type="button" class="btn" @click=${(() => this.#dialog.close()) as never}>Close</button>`;
    const buttons = (label: string, act: () => void) =>
      html`<div class="buttons">${close}<button type="button" class="btn primary" @click=${act as never}>${label}</button></div>`;
    switch (phase.kind) {
      case 'loading':
        return html`<p class="quiet" role="status">One moment …</p><div class="buttons">${close}</div>`;
      case 'signed-out':
        return html`<p>This service looks out for such homes, and says when one comes, drops its price or goes. Sign in first, with your key or with the Free tier: you come back here.</p>${buttons(
          'Sign in',
          () => void signIn(`${location.href.split('#')[0]}${RETURN}`),
        )}`;
      case 'watched':
        return html`<p role="status">New homes, price drops and sales of this search are kept for you under <a href="explore/watching">What you watch</a>.</p><div class="buttons"><button type="button" class="btn bare" @click=${(() => void this.#stop(phase.watcherId)) as never}>Stop watching</button><button type="button" class="btn primary" @click=${(() => this.#dialog.close()) as never}>Back to the map</button></div>`;
      case 'form':
        return html`<p>This service looks out for such homes, and says when one comes, drops its price or goes.</p><label class="field"><span>A name for it</span><input maxlength="200" autocomplete="off" value="${this.#title().slice(0, 200)}"></label>${this.#fault(phase)}${buttons('Watch this search', () => void this.#watch())}`;
    }
  }

  #fault({ fault, isOfPlan }: Extract<Phase, { kind: 'form' }>) {
    if (fault === null) return null;
    const plans = isOfPlan ? html`<a class="btn" href="billing">Compare plans</a>` : null;
    return html`<div class="notice warning" role="alert"><span class="mark" aria-hidden="true"></span><strong>It is not watched</strong><p>${fault}</p><div class="buttons">${plans}</div></div>`;
  }

  /** What is watched, in words. */
  #title(): string {
    const { kind } = stateOf(this.#parameters);
    const areas = this.#explorer.view?.areas ?? [];
    const context = {
      kind,
      currency: this.#explorer.view?.currency ?? null,
      areas: new Map(areas.map(({ id, name }) => [id, name])),
    };
    const filters = activeFilters(this.#parameters, context);
    return viewTitle({ parameters: this.#parameters, kind, places: areas.map(({ name }) => name), filters });
  }
}

/** What a view searches for, whatever the order of its parameters. */
function keyOf(parameters: Parameters): string {
  const entries = [...parameters].filter(([name]) => !OF_PAGES.includes(name));
  return keyFrom(stateOf(parameters).kind, entries);
}

const keyOfTarget = ({ listingType = 'sale', query = {} }: Watcher['target']): string =>
  keyFrom(
    listingType,
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  );

const keyFrom = (kind: string, entries: readonly (readonly [string, string])[]): string =>
  [kind, ...entries.map(([name, value]) => `${name}=${value}`).sort()].join('&');

interface Answered {
  readonly ok: boolean;
  readonly body: unknown;
}

/** A request of the person who is signed in; without an answer it is not ok either. */
async function request(path: string, init: RequestInit = {}): Promise<Answered> {
  const credential = await token();
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (credential !== null) headers.authorization = `Bearer ${credential}`;
  const answer = await fetch(new URL(path, ROOT), { ...init, headers }).catch(() => null);
  return { ok: answer?.ok ?? false, body: (await answer?.json().catch(() => ({}))) ?? {} };
}
