// Map of a browser without WebGL: the drawing of the server, fetched for each view.

import { type Parameters, writeQuery } from '../../view/parameters.ts';
import { type MapPane, serviceUrl } from '../explorer.ts';
import { getPage } from '../requests.ts';
import type { View } from '../view.ts';

export class DrawnMap implements MapPane {
  readonly #section: HTMLElement;
  #request = new AbortController();

  constructor(section: HTMLElement) {
    this.#section = section;
  }

  /** The drawing shows the box of its view. */
  moveTo(): void {}

  show(_view: View, parameters: Parameters): void {
    this.#request.abort();
    this.#request = new AbortController();
    void this.#draw(parameters, this.#request.signal);
  }

  /** The drawing, the links that move it and its caption come together; without an answer the old ones stay. */
  async #draw(parameters: Parameters, signal: AbortSignal): Promise<void> {
    const page = await getPage(serviceUrl(`explore?${writeQuery(parameters)}`), signal).catch(() => null);
    const drawn = page?.getElementById(this.#section.id) ?? null;
    if (signal.aborted || drawn === null) return;
    this.#section.replaceChildren(...document.importNode(drawn, true).childNodes);
  }
}
