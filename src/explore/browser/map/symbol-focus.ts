// Keyboard among the symbols of the live map: one stop of the Tab key for all of them, arrow keys from each to the next in their direction.

import type { Map as LibreMap } from 'maplibre-gl';

/** Sideways and down. */
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** What had the focus before symbols were replaced. */
export interface SavedFocus {
  readonly element: HTMLElement;
  readonly home: string | null;
  readonly at: readonly [number, number];
}

export class SymbolFocus {
  readonly #container: HTMLElement;
  readonly #canvas: HTMLElement;

  constructor(map: LibreMap) {
    this.#container = map.getCanvasContainer();
    this.#canvas = map.getCanvas();
    // Before the map's own keys, which move it.
    this.#container.addEventListener('keydown', (event) => this.#move(event), { capture: true });
    this.#container.addEventListener('focusin', ({ target }) => {
      if (isSymbol(target)) this.#makeStop(target);
    });
  }

  /** Remembers the symbol that has the focus; null: none has. */
  save(): SavedFocus | null {
    const element = document.activeElement;
    if (!isSymbol(element) || !this.#container.contains(element)) return null;
    return { element, home: element.dataset.home ?? null, at: middleOf(element) };
  }

  /** Gives the focus to what stands there now: that home, else what is nearest. There is always one stop among the symbols. */
  restore(saved: SavedFocus | null): void {
    const all = this.#symbols();
    if (saved !== null && !saved.element.isConnected) {
      const next = all.find(({ dataset }) => saved.home !== null && dataset.home === saved.home);
      (next ?? nearest(all, saved.at) ?? this.#canvas).focus({ preventScroll: true });
    }
    const stop = all.find(({ tabIndex }) => tabIndex === 0) ?? all[0];
    if (stop !== undefined) this.#makeStop(stop);
  }

  #symbols(): readonly HTMLElement[] {
    return [...this.#container.querySelectorAll<HTMLElement>('.symbol')];
  }

  #makeStop(symbol: HTMLElement): void {
    for (const other of this.#symbols()) other.tabIndex = other === symbol ? 0 : -1;
  }

  #move(event: KeyboardEvent): void {
    const direction = DIRECTIONS[event.key];
    if (direction === undefined || !isSymbol(event.target) || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const from = middleOf(event.target);
    const [across, down] = direction;
    const ahead = this.#symbols().filter((symbol) => {
      const [x, y] = middleOf(symbol);
      const way = (x - from[0]) * across + (y - from[1]) * down;
      return way > Math.abs((x - from[0]) * down + (y - from[1]) * across) / 2;
    });
    nearest(ahead, from)?.focus({ preventScroll: true });
  }
}

const isSymbol = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && target.classList.contains('symbol');

function middleOf(element: HTMLElement): [number, number] {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

function nearest(symbols: readonly HTMLElement[], [x, y]: readonly [number, number]): HTMLElement | null {
  let [best, least] = [null as HTMLElement | null, Infinity];
  for (const symbol of symbols) {
    const [left, top] = middleOf(symbol);
    const distance = Math.hypot(left - x, top - y);
    if (distance < least) [best, least] = [symbol, distance];
  }
  return best;
}
