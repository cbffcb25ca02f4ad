// One home as a sheet over the map: under its own address, with the map and its list as they were below it.

import { render } from 'lit-html';
import { icon } from '../../parts/icons.ts';
import { notice } from '../../parts/notices.ts';
import { type Parameters, readParameters } from '../../view/parameters.ts';
import { after } from '../clock.ts';
import { followedLink, homeAddress, homeAt } from '../links.ts';
import { adoptSheetStyle } from '../sheet-style.ts';
import { TAGS } from '../tags.ts';

const { html } = TAGS;

export interface SheetEvents {
  /** A home is shown. */
  onOpen(id: string): void;
  /** A link in the sheet leads to another view of the map. */
  onView(parameters: Parameters): void;
}

/** Milliseconds after which a home that is not there yet has blocks in its place. */
const BLOCKS_AFTER = 300;
const VIEWS = new URL('explore', new URL('.', location.href));

export class HomeSheet {
  readonly #events: SheetEvents;
  readonly #dialog = document.createElement('dialog');
  readonly #body = document.createElement('div');
  /** Keeps relative links as they were while the page has the address of a home. */
  readonly #base = document.createElement('base');
  #isOpen = false;
  #loading = new AbortController();
  #cancelBlocks: () => void = () => undefined;
  /** Of the map, while a home is shown. */
  #title = document.title;

  constructor(events: SheetEvents) {
    this.#events = events;
    adoptSheetStyle();
    this.#dialog.className = 'home-dialog';
    const bar = document.createElement('div');
    bar.className = 'sheet-bar';
    render(
      html`<button type="button" class="btn" @click=${(() => this.close()) as never}>${icon(TAGS, 'close')}Close</button>`,
      bar,
    );
    this.#dialog.append(bar, this.#body);
    document.body.append(this.#dialog);
    document.addEventListener('click', (event) => this.#follow(event));
    this.#dialog.addEventListener('click', (event) => {
      // The ground beside the sheet is of the dialog itself.
      if (event.target === this.#dialog && !isInside(event, this.#dialog)) this.close();
    });
    this.#dialog.addEventListener('keydown', (event) => this.#keepFocus(event));
    // Escape closes a dialog by itself: the address follows.
    this.#dialog.addEventListener('close', () => this.close());
    addEventListener('popstate', () => {
      const id = homeAt(location);
      if (id === null) this.#end();
      else this.#show(id);
    });
  }

  /** Shows a home under its address; the way back leads to the map as it is now. */
  open(id: string): void {
    const homes = this.#isOpen ? depth() + 1 : 1;
    this.#keepBase();
    if (homeAt(location) !== id) history.pushState({ homes }, '', homeAddress(id));
    this.#show(id);
  }

  /** Back to the map, whatever homes were looked at since. */
  close(): void {
    if (this.#isOpen) history.go(-Math.max(1, depth()));
  }

  #follow(event: MouseEvent): void {
    const url = followedLink(event);
    if (url === null) return;
    const id = homeAt(url);
    if (id !== null) {
      event.preventDefault();
      this.open(id);
    } else if (
      this.#isOpen &&
      url.origin === VIEWS.origin &&
      url.pathname === VIEWS.pathname &&
      url.hash === ''
    ) {
      event.preventDefault();
      this.#end();
      this.#events.onView(readParameters(url.search));
    }
  }

  #show(id: string): void {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#title = document.title;
      this.#keepBase();
      this.#dialog.showModal();
    }
    this.#events.onOpen(id);
    void this.#load(id);
  }

  async #load(id: string): Promise<void> {
    this.#loading.abort();
    this.#cancelBlocks();
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    this.#dialog.setAttribute('aria-label', 'Home');
    this.#dialog.setAttribute('aria-busy', 'true');
    this.#cancelBlocks = after(BLOCKS_AFTER, () => this.#put(blocks()));
    try {
      const { loadHome } = await import('./home-content.ts');
      const content = await loadHome(id, signal);
      this.#put(content);
      this.#dialog.scrollTop = 0;
      const name = content.querySelector('h1')?.textContent?.trim() ?? 'Home';
      this.#dialog.setAttribute('aria-label', name);
      document.title = document.title.replace(/^.*(?= · )/, () => name);
    } catch (error) {
      if (signal.aborted) return;
      this.#put(this.#unreachable(id, error instanceof Error ? error.message : ''));
    } finally {
      if (!signal.aborted) {
        this.#cancelBlocks();
        this.#dialog.removeAttribute('aria-busy');
      }
    }
  }

  #unreachable(id: string, message: string): HTMLElement {
    const place = document.createElement('div');
    place.className = 'home-trouble';
    render(
      notice(TAGS, {
        kind: 'warning',
        title: 'This home cannot be shown at the moment',
        text: `${message} The map below stays as it is.`,
        action: { label: 'Try again', href: homeAddress(id) },
      }),
      place,
    );
    return place;
  }

  #put(content: HTMLElement): void {
    this.#cancelBlocks();
    this.#body.replaceChildren(content);
  }

  #keepBase(): void {
    if (this.#base.isConnected) return;
    this.#base.href = VIEWS.href;
    document.head.prepend(this.#base);
  }

  /** The address is that of the map again, or about to be. */
  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#loading.abort();
    this.#cancelBlocks();
    this.#base.remove();
    document.title = this.#title;
    this.#dialog.close();
    this.#body.replaceChildren();
  }

  /** A dialog leaves the page below it alone, but Tab would still leave the document. */
  #keepFocus(event: KeyboardEvent): void {
    if (event.key !== 'Tab') return;
    const reachable = [...this.#dialog.querySelectorAll<HTMLElement | SVGElement>(FOCUSABLE)].filter((each) =>
      each.checkVisibility({ visibilityProperty: true }),
    );
    const edge = event.shiftKey ? reachable[0] : reachable.at(-1);
    if (document.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? reachable.at(-1) : reachable[0])?.focus();
  }
}

const FOCUSABLE = 'a[href],button:not(:disabled),summary,input,select,textarea,[tabindex="0"]';

/** How many homes lie between this entry of the history and the map. */
const depth = (): number => (history.state as { homes?: number } | null)?.homes ?? 1;

function isInside({ clientX, clientY }: MouseEvent, element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
}

function blocks(): HTMLElement {
  const place = document.createElement('div');
  place.className = 'home-blocks';
  place.append(...['i', 'i', 'b', 'i', 'i', 'i'].map((name) => document.createElement(name)));
  return place;
}
