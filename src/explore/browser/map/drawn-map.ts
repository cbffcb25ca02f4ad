// Map of a browser without WebGL: the drawing of the server, fetched for each view.

import { type Parameters, writeQuery } from '../../view/parameters.ts';
import { type Explorer, type MapPane, serviceUrl } from '../explorer.ts';
import { getPage } from '../requests.ts';
import type { View } from '../view.ts';

export class DrawnMap implements MapPane {
  readonly #section: HTMLElement;
  #request = new AbortController();
  #lit: string | null = null;
  /** The view that is drawn, by its query. */
  #drawn: string;

  /** The server has drawn the view of the explorer as it is. */
  constructor(section: HTMLElement, explorer: Pick<Explorer, 'parameters'>) {
    this.#section = section;
    this.#drawn = writeQuery(explorer.parameters);
  }

  /** The drawing shows the box of its view. */
  moveTo(): void {}

  /** It is as large as it is, whatever is seen of it. */
  rest(): void {}

  show(_view: View, parameters: Parameters): void {
    const query = writeQuery(parameters);
    if (query === this.#drawn) return;
    this.#request.abort();
    this.#request = new AbortController();
    void this.#draw(query, this.#request.signal);
  }

  light(id: string | null): void {
    this.#pin(this.#lit)?.classList.remove('lit');
    this.#lit = id;
    this.#pin(id)?.classList.add('lit');
  }

  markSeen(id: string): void {
    this.#pin(id)?.classList.add('seen');
  }

  /** The symbol of a home that the drawing has by itself. */
  #pin(id: string | null): Element | null {
    if (id === null) return null;
    const path = CSS.escape(`explore/listing/${id}`);
    return this.#section.querySelector(`a[href$="${path}"] .pn`);
  }

  /** The drawing, the links that move it and its caption come together; without an answer the old ones stay. */
  async #draw(query: string, signal: AbortSignal): Promise<void> {
    const page = await getPage(serviceUrl(`explore?${query}`), signal).catch(() => null);
    const drawn = page?.getElementById(this.#section.id) ?? null;
    if (signal.aborted || drawn === null) return;
    const focus = document.activeElement;
    const label = focus !== null && this.#section.contains(focus) ? focus.getAttribute('aria-label') : null;
    this.#section.replaceChildren(...document.importNode(drawn, true).childNodes);
    this.#drawn = query;
    if (label !== null)
      this.#section.querySelector<HTMLElement>(`[aria-label="${CSS.escape(label)}"]`)?.focus();
  }
}
