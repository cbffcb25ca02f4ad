// Search boxes of pages: places, addresses and listing numbers are suggested while one types.
//
// The pattern of an editable combobox with a list: the focus stays in the box, arrow keys move through what is suggested.

import { render } from 'lit-html';
import { enumWords } from '../../../page/words.ts';
import type { Suggestions } from '../../view/suggestions.ts';
import { after } from '../clock.ts';
import { homeAddress } from '../links.ts';
import { getJson } from '../requests.ts';
import { adoptSheetStyle } from '../sheet-style.ts';
import { ROOT } from '../sign-in.ts';
import { TAGS } from '../tags.ts';

const { html } = TAGS;

/** What a page does with a choice. */
export interface SearchActions {
  onPlace(id: string, form: HTMLFormElement): void;
  onHome(id: string): void;
  /** Words that are no choice; true: the page deals with them, false: the browser sends the form. */
  onWords(text: string): boolean;
}

/** Milliseconds without typing before something is suggested. */
const DEBOUNCE = 120;
const BOX = 'input[name=find]';

/** Leaves the page for what is chosen: the form's page for a place, its own for a home. */
const LEAVING: SearchActions = {
  onPlace(id, form) {
    const fields = [...new FormData(form)].filter(([name]) => name !== 'find' && name !== 'areaId');
    const address = new URL(form.action);
    address.search = new URLSearchParams([
      ...fields.map(([name, value]) => [name, String(value)]),
      ['areaId', id],
    ]).toString();
    location.assign(address);
  },
  onHome: (id) => location.assign(homeAddress(id)),
  onWords: () => false,
};

/** All search boxes of the page, those too that come later. */
export function startSearch(actions: SearchActions = LEAVING): void {
  adoptSheetStyle();
  const known = new WeakSet<Element>();
  const equip = (input: Element | null): void => {
    const form = input instanceof HTMLInputElement ? input.form : null;
    if (form === null || !(input instanceof HTMLInputElement) || known.has(input)) return;
    known.add(input);
    new SearchBox(input, form, actions);
  };
  for (const input of document.querySelectorAll(BOX)) equip(input);
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.matches(BOX)) equip(target);
  });
}

/** What the service suggests for a text. Throws a Refusal, or the signal's reason. */
export function findSuggestions(text: string, signal: AbortSignal): Promise<Suggestions> {
  return getJson(new URL(`explore/suggest?${new URLSearchParams({ q: text })}`, ROOT).href, signal);
}

interface Option {
  readonly label: string;
  readonly note: string;
  readonly choose: () => void;
}

let boxes = 0;

class SearchBox {
  readonly #input: HTMLInputElement;
  readonly #form: HTMLFormElement;
  readonly #actions: SearchActions;
  readonly #list = document.createElement('ul');
  readonly #status = document.createElement('span');
  readonly #id = `suggested-${++boxes}`;
  #options: readonly Option[] = [];
  #active = -1;
  #request = new AbortController();
  #cancel: () => void = () => undefined;

  constructor(input: HTMLInputElement, form: HTMLFormElement, actions: SearchActions) {
    this.#input = input;
    this.#form = form;
    this.#actions = actions;
    // A combobox is a text box; the keyboard of a telephone still says that it searches.
    input.type = 'text';
    input.enterKeyHint = 'search';
    this.#list.id = this.#id;
    this.#list.className = 'suggestions';
    this.#list.hidden = true;
    this.#list.setAttribute('role', 'listbox');
    this.#list.setAttribute('aria-label', 'Suggestions');
    this.#status.className = 'visually-hidden';
    this.#status.setAttribute('role', 'status');
    form.append(this.#list, this.#status);
    for (const [name, value] of [
      ['role', 'combobox'],
      ['aria-autocomplete', 'list'],
      ['aria-haspopup', 'listbox'],
      ['aria-expanded', 'false'],
      ['aria-controls', this.#id],
    ] as const)
      input.setAttribute(name, value);
    input.addEventListener('input', () => this.#type());
    input.addEventListener('keydown', (event) => this.#onKey(event));
    input.addEventListener('blur', () => this.#close());
    form.addEventListener('submit', (event) => this.#submit(event));
    // The focus stays in the box.
    this.#list.addEventListener('pointerdown', (event) => event.preventDefault());
    this.#list.addEventListener('click', ({ target }) => {
      const item = target instanceof Element ? target.closest('li') : null;
      if (item !== null) this.#choose([...this.#list.children].indexOf(item));
    });
  }

  #type(): void {
    this.#stop();
    const text = this.#input.value.trim();
    if (text === '') this.#close();
    else this.#cancel = after(DEBOUNCE, () => void this.#suggest(text));
  }

  async #suggest(text: string): Promise<void> {
    const { signal } = this.#request;
    try {
      const found = await findSuggestions(text, signal);
      this.#show(this.#optionsOf(found, text));
    } catch {
      // Without suggestions the box still searches, and says then what is wrong.
      if (!signal.aborted) this.#close();
    }
  }

  #optionsOf({ places, homes, listing }: Suggestions, text: string): readonly Option[] {
    const leadsToHomes = new URL(this.#form.action).pathname === new URL('explore', ROOT).pathname;
    const toPlaces = places.map(({ id, name, type }) => ({
      label: name,
      note: enumWords(type),
      choose: () => this.#actions.onPlace(id, this.#form),
    }));
    if (!leadsToHomes) return toPlaces;
    const toListing =
      listing === null
        ? []
        : [{ label: text, note: 'Listing number', choose: () => this.#actions.onHome(listing) }];
    const toHomes = homes
      .filter(({ id }) => id !== listing)
      .map(({ id, address, listingType }) => ({
        label: address,
        note: listingType === 'sale' ? 'For sale' : 'To rent',
        choose: () => this.#actions.onHome(id),
      }));
    return [...toListing, ...toPlaces, ...toHomes];
  }

  #show(options: readonly Option[]): void {
    this.#options = options;
    this.#active = -1;
    this.#draw();
    const count = options.length;
    this.#status.textContent =
      count === 0
        ? 'Nothing begins like this. Enter searches for the words.'
        : `${count} ${count === 1 ? 'suggestion' : 'suggestions'}`;
  }

  #draw(): void {
    const isOpen = this.#options.length > 0;
    render(
      this.#options.map(
        ({ label, note }, at) =>
          html`<li id="${`${this.#id}-${at}`}" role="option" aria-selected="${at === this.#active ? 'true' : 'false'}"><span>${label}</span><span class="quiet">${note}</span></li>`,
      ),
      this.#list,
    );
    this.#list.hidden = !isOpen;
    this.#input.setAttribute('aria-expanded', String(isOpen));
    if (this.#active < 0) this.#input.removeAttribute('aria-activedescendant');
    else this.#input.setAttribute('aria-activedescendant', `${this.#id}-${this.#active}`);
    this.#list.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }

  #onKey(event: KeyboardEvent): void {
    const isOpen = this.#options.length > 0;
    if (event.isComposing) return;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault();
        if (isOpen) this.#move(event.key === 'ArrowDown' ? 1 : -1);
        else this.#type();
        return;
      case 'Enter':
        if (this.#active < 0) return;
        event.preventDefault();
        this.#choose(this.#active);
        return;
      case 'Escape':
        if (!isOpen) return;
        event.preventDefault();
        this.#close();
        return;
    }
  }

  /** Past either end the box itself is next. */
  #move(by: number): void {
    const places = this.#options.length + 1;
    this.#active = ((this.#active + 1 + by + places) % places) - 1;
    this.#draw();
  }

  #choose(at: number): void {
    const option = this.#options[at];
    if (option === undefined) return;
    this.#input.value = '';
    this.#close();
    option.choose();
  }

  #submit(event: SubmitEvent): void {
    const text = this.#input.value.trim();
    this.#close();
    if (text === '') return;
    if (!this.#actions.onWords(text)) return;
    event.preventDefault();
    this.#input.value = '';
  }

  #stop(): void {
    this.#cancel();
    this.#request.abort();
    this.#request = new AbortController();
  }

  #close(): void {
    this.#stop();
    this.#options = [];
    this.#active = -1;
    this.#status.textContent = '';
    this.#draw();
  }
}
