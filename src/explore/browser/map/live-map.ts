// Live map: MapLibre over the outlines of the service, with the symbols of homes, in place of the drawing.

import { type GeoJSONSource, Map as LibreMap, LngLatBounds, Marker } from 'maplibre-gl';
import type { HomeKind, MapCluster, MapPin, Outline } from '../../../page/map/drawing.ts';
import { type MapBox, type MapView, project, viewAround } from '../../../page/map/mercator.ts';
import type { PixelBox } from '../../../page/map/names.ts';
import type { View } from '../view.ts';
import type { BaseLayers } from './basemap.ts';
import { type Corner, DATA, type MapGround, mapStyle } from './map-style.ts';
import { freeNames } from './names.ts';
import { HomeSymbols } from './symbols.ts';

export interface MapEvents {
  /** The map rests after somebody moved it. */
  onMove(): void;
  onPin(pin: MapPin, byKeyboard: boolean): void;
  onPoint(id: string | null): void;
  onError(error: Error): void;
}

/** What is shown of a view, besides its homes. */
export interface Shown {
  readonly view: View;
  readonly kind: HomeKind;
  /** The area that was drawn; without corners: none. */
  readonly searched: readonly Corner[];
  /** The box of the URL; null: it names none. */
  readonly box: MapBox | null;
}

/** Pixels around what a cluster leads to, and around the homes of a view without a box. */
const MARGIN = 48;
const ROOM = 28;
const MAX_ZOOM = 19;
/** Pixels by which a map may be larger than the box of its view before the rest is dimmed. */
const BEYOND = 12;
/** Marks movements by the page, which the view does not follow: of those by wheel and touch the map does not say where they come from. */
const OWN = { isOwn: true };

/** What other parts of the page lie over. */
export interface Covered {
  /** Pixels from the top. */
  readonly top: () => number;
  /** Places at the edges where no name is to stand. */
  readonly boxes: () => readonly PixelBox[];
}

export interface Ground {
  readonly outlines: readonly Outline[];
  readonly ground: 'water' | 'paper';
  /** The operator's map below the areas; null: there is none. */
  readonly base: BaseLayers | null;
}

export class LiveMap {
  readonly map: LibreMap;
  readonly #symbols: HomeSymbols;
  readonly #covered: Covered;
  #drawn: MapGround;
  #shown: Shown | null = null;
  #spot: Marker | null = null;

  constructor(container: HTMLElement, ground: Ground, events: MapEvents, covered: Covered) {
    this.#covered = covered;
    this.#drawn = { ...ground, chosen: [], names: [], searched: [], box: null };
    this.map = new LibreMap({
      container,
      style: mapStyle(this.#drawn),
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      maxZoom: MAX_ZOOM,
      trackResize: false,
      fadeDuration: 0,
      locale: { 'Map.Title': 'Map of the homes; arrow keys move it, plus and minus zoom' },
    });
    new ResizeObserver(() => this.map.resize(OWN)).observe(container);
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.#symbols = new HomeSymbols(this.map, {
      onPin: events.onPin,
      onCluster: (cluster) => this.#open(cluster),
      onPoint: (pin) => events.onPoint(pin?.id ?? null),
    });
    this.map.on('movestart', (event) => {
      if (!isByReader(event) || this.#shown === null) return;
      // What comes into sight is not known to be empty, and is shown in a moment.
      this.#shown = { ...this.#shown, box: null };
      this.#draw({ box: null });
    });
    this.map.on('moveend', (event) => {
      this.#place();
      if (isByReader(event)) events.onMove();
    });
    this.map.on('error', ({ error }) => events.onError(new Error(error.message)));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
      this.map.setStyle(mapStyle(this.#drawn)),
    );
  }

  /** The box in sight, rounded to about a pixel, so that equal views have equal URLs. */
  box(): { readonly bbox: string; readonly zoom: string } {
    const bounds = this.map.getBounds();
    const decimals = Math.max(2, Math.ceil(this.map.getZoom() * 0.3) + 1);
    const edges = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
    const turned = edges.map((value, at) =>
      at % 2 === 1 ? value : ((((value + 180) % 360) + 360) % 360) - 180,
    );
    const isWorld = bounds.getEast() - bounds.getWest() >= 360;
    const [west = 0, south = 0, east = 0, north = 0] = isWorld ? [-180, edges[1], 180, edges[3]] : turned;
    return {
      bbox: [west, south, east, north].map((value) => Number(value.toFixed(decimals))).join(','),
      zoom: this.map.getZoom().toFixed(1),
    };
  }

  /** Moves the map without `onMove`: to just this box, or to one with room around it, free of what lies over the map. */
  moveTo(box: MapBox, isNamed: boolean): void {
    const top = ROOM + this.#covered.top();
    const padding = isNamed ? 0 : { top, bottom: ROOM, left: ROOM, right: ROOM };
    this.map.fitBounds(boundsOf(box), { animate: false, padding }, OWN);
  }

  show(shown: Shown): void {
    this.#shown = shown;
    this.#draw({ chosen: shown.view.areas.map(({ id }) => id), searched: shown.searched });
    this.#place();
  }

  /** Points at a home: its pin, or where it lies where it has none of its own. */
  light(id: string | null, position: Corner | null = null): void {
    this.#symbols.light(id);
    this.#spot?.remove();
    this.#spot = null;
    if (id === null || position === null || this.#symbols.has(id)) return;
    const element = document.createElement('span');
    element.className = 'spot';
    this.#spot = new Marker({ element, anchor: 'center' }).setLngLat([...position]).addTo(this.map);
  }

  markSeen(id: string): void {
    this.#symbols.markSeen(id);
  }

  /** The pin of a home; null: it has none of its own. */
  pinOf(id: string): HTMLElement | null {
    return this.#symbols.element(id) ?? null;
  }

  zoomBy(steps: number): void {
    this.map.jumpTo({ zoom: this.map.getZoom() + steps });
  }

  /** Shows the surroundings of a point. */
  goTo(lng: number, lat: number): void {
    this.map.jumpTo({ center: [lng, lat], zoom: Math.max(13, this.map.getZoom()) });
  }

  #open({ box, lng, lat }: MapCluster): void {
    const before = this.map.getZoom();
    const camera = this.map.cameraForBounds(boundsOf(box), { padding: MARGIN, maxZoom: MAX_ZOOM - 1 });
    // Where its box is no smaller than the view, one step closer still takes the cluster apart.
    const zoom = Math.max(camera?.zoom ?? 0, before + 1);
    this.map.jumpTo({ center: camera?.center ?? [lng, lat], zoom });
  }

  /** Symbols and names by the zoom that the map has now. */
  #place(): void {
    if (this.#shown === null) return;
    const { view, kind } = this.#shown;
    const symbols = this.#symbols.show(view, kind);
    const names = freeNames(
      { outlines: this.#drawn.outlines, symbols, over: this.#covered.boxes() },
      this.#view(),
    );
    this.#draw({ names, box: this.#beyond() });
  }

  /** What is in sight, as drawings have it. */
  #view(): MapView {
    const { clientWidth, clientHeight } = this.map.getContainer();
    return viewAround(this.map.getCenter(), this.map.getZoom(), clientWidth, clientHeight);
  }

  /** The box of the URL where the map shows noticeably more than it. */
  #beyond(): MapBox | null {
    const box = this.#shown?.box ?? null;
    if (box === null) return null;
    const { left, top, width, height, zoom } = this.#view();
    const [west, south, east, north] = box;
    const [x, y] = project(west, north, zoom);
    const [endX, endY] = project(east < west ? east + 360 : east, south, zoom);
    const isAll = endX - x > width - BEYOND && endY - y > height - BEYOND;
    const isOff = Math.abs(x - left) > width || Math.abs(y - top) > height;
    return isAll || isOff ? null : box;
  }

  /** Changes what is drawn, where it differs. */
  #draw(changes: Partial<Omit<MapGround, 'outlines' | 'ground'>>): void {
    const before = this.#drawn;
    this.#drawn = { ...before, ...changes };
    for (const [source, part] of Object.entries(PARTS)) {
      if (JSON.stringify(before[part]) === JSON.stringify(this.#drawn[part])) continue;
      this.map.getSource<GeoJSONSource>(source)?.setData(DATA[source as keyof typeof DATA](this.#drawn));
    }
  }
}

/** What each source changes with. */
const PARTS = {
  areas: 'chosen',
  names: 'names',
  searched: 'searched',
  beyond: 'box',
  rest: 'chosen',
} as const satisfies Record<keyof typeof DATA, keyof MapGround>;

const isByReader = (event: object): boolean => !('isOwn' in event);

function boundsOf([west, south, east, north]: MapBox): LngLatBounds {
  return new LngLatBounds([west, south], [east < west ? east + 360 : east, north]);
}
