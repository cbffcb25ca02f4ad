// Symbols of homes on the live map: buttons that stand on it, kept from view to view while they mean the same.

import { type Map as LibreMap, Marker } from 'maplibre-gl';
import { countText, shortAmount } from '../../../page/map/amounts.ts';
import type { HomeKind, MapCluster, MapPin } from '../../../page/map/drawing.ts';
import {
  clusterRadius,
  type MapSymbols,
  MEDIAN_FROM,
  mergeOverlapping,
  pinText,
} from '../../../page/map/symbols.ts';
import type { View } from '../view.ts';
import { SymbolFocus } from './symbol-focus.ts';

export interface SymbolEvents {
  onPin(pin: MapPin, byKeyboard: boolean): void;
  onCluster(cluster: MapCluster): void;
  /** The pin that is pointed at, or null. */
  onPoint(pin: MapPin | null): void;
}

export class HomeSymbols {
  readonly #map: LibreMap;
  readonly #events: SymbolEvents;
  readonly #shown = new Map<string, Marker>();
  readonly #pinKeys = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #focus: SymbolFocus;
  #lit: string | null = null;

  constructor(map: LibreMap, events: SymbolEvents) {
    this.#map = map;
    this.#events = events;
    this.#focus = new SymbolFocus(map);
  }

  /** Replaces what is shown; symbols that would overlap at this zoom are merged. Returns what is shown then. */
  show(view: View, kind: HomeKind): MapSymbols {
    const symbols = mergeOverlapping(symbolsOf(view, kind, this.#seen), this.#map.getZoom(), view.currency);
    const { clusters, pins } = symbols;
    const wanted = new Map<string, () => Marker>();
    this.#pinKeys.clear();
    for (const cluster of clusters) {
      const { lng, lat, count, median } = cluster;
      wanted.set(`c${lng.toFixed(5)} ${lat.toFixed(5)} ${count} ${median}`, () =>
        this.#cluster(cluster, view),
      );
    }
    for (const pin of pins) {
      const others = pin.others ?? [];
      const key = `p${pin.id} ${pin.price} ${pin.dropped} ${pin.sold} ${others.join()}`;
      for (const id of [pin.id, ...others]) this.#pinKeys.set(id, key);
      wanted.set(key, () => this.#pin(pin, view));
    }
    const before = this.#focus.save();
    for (const [key, marker] of this.#shown) {
      if (wanted.has(key)) continue;
      marker.remove();
      this.#shown.delete(key);
    }
    for (const [key, create] of wanted)
      if (!this.#shown.has(key)) this.#shown.set(key, create().addTo(this.#map));
    this.light(this.#lit);
    this.#focus.restore(before);
    return symbols;
  }

  /** Shows the pin of a home as pointed at; null: none. */
  light(id: string | null): void {
    this.element(this.#lit)?.classList.remove('lit');
    this.#lit = id;
    this.element(id)?.classList.add('lit');
  }

  /** Whether the home has a pin of its own on the map. */
  has(id: string): boolean {
    return this.#pinKeys.has(id);
  }

  markSeen(id: string): void {
    this.#seen.add(id);
    this.element(id)?.classList.add('seen');
  }

  /** The pin of a home, or that of its building. */
  element(id: string | null): HTMLElement | undefined {
    return id === null ? undefined : this.#shown.get(this.#pinKeys.get(id) ?? '')?.getElement();
  }

  #cluster(cluster: MapCluster, view: View): Marker {
    const { count, median, kind, lng, lat } = cluster;
    const element = buttonOf(`symbol cluster ${kind}`, () => this.#events.onCluster(cluster));
    const size = `${2 * clusterRadius(count)}px`;
    element.style.width = size;
    element.style.height = size;
    element.append(countText(count));
    const figure = median === null || count < MEDIAN_FROM ? null : shortAmount(median, view.currency);
    // Drawn by the style: the name of the button has it, in words.
    if (figure !== null) element.dataset.median = figure;
    const words = figure === null ? '' : `, median ${figure}`;
    element.setAttribute('aria-label', `${countText(count)} homes${words}. Zoom in`);
    return new Marker({ element, anchor: 'center' }).setLngLat([lng, lat]);
  }

  #pin(pin: MapPin, view: View): Marker {
    const { kind, lng, lat, others = [] } = pin;
    const element = buttonOf(`symbol pin ${kind}`, (byKeyboard) => this.#events.onPin(pin, byKeyboard));
    element.classList.toggle('stack', others.length > 0);
    element.classList.toggle('seen', pin.seen === true);
    element.classList.toggle('sold', pin.sold === true);
    element.dataset.home = pin.id;
    // Of several homes it would be true of one.
    if (pin.dropped === true && others.length === 0) element.append(textOf('down', '▼'));
    element.append(others.length > 0 ? `${others.length + 1} homes` : pinText(pin, view.currency));
    element.setAttribute('aria-label', pinLabel(pin, view.currency));
    element.addEventListener('mouseenter', () => this.#events.onPoint(pin));
    element.addEventListener('mouseleave', () => this.#events.onPoint(null));
    element.addEventListener('focus', () => this.#events.onPoint(pin));
    element.addEventListener('blur', () => this.#events.onPoint(null));
    return new Marker({ element, anchor: 'bottom', offset: [0, -5] }).setLngLat([lng, lat]);
  }
}

function pinLabel(
  { kind, price, beds, dropped, sold, others = [] }: MapPin,
  currency: string | null,
): string {
  if (others.length > 0) return `${others.length + 1} homes at one address`;
  const amount = price === null ? 'Price on request' : shortAmount(price, currency);
  return [
    `Home ${sold === true ? 'sold' : kind === 'sale' ? 'for sale' : 'to rent'}`,
    amount,
    beds === null ? null : `${beds} bedrooms`,
    dropped === true ? 'price dropped' : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

function buttonOf(className: string, onClick: (byKeyboard: boolean) => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = className;
  element.tabIndex = -1;
  element.addEventListener('click', (event) => {
    event.stopPropagation();
    onClick(event.detail === 0);
  });
  return element;
}

function textOf(className: string, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = className;
  element.textContent = text;
  return element;
}

function symbolsOf(view: View, kind: HomeKind, seen: ReadonlySet<string>) {
  return {
    clusters: view.clusters.map(([lng, lat, count, median, west, south, east, north]) => {
      return { kind, lng, lat, count, median, box: [west, south, east, north] as const };
    }),
    pins: view.pins.map(([id, letter, price, beds, lng, lat, flags]): MapPin => {
      const dropped = (flags & 1) !== 0;
      const sold = (flags & 4) !== 0;
      const approximate = (flags & 16) !== 0;
      const pinKind = letter === 's' ? 'sale' : 'rental';
      return { id, kind: pinKind, price, beds, lng, lat, dropped, approximate, sold, seen: seen.has(id) };
    }),
  };
}
