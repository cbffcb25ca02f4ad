// Live map: MapLibre over the outlines of the service, with the symbols of homes, in place of the drawing.

import { Map as LibreMap, LngLatBounds, Marker } from 'maplibre-gl';
import type { HomeKind, MapCluster, MapPin, Outline } from '../../../page/map/drawing.ts';
import type { MapBox } from '../../../page/map/mercator.ts';
import type { View } from '../view.ts';
import { mapStyle } from './map-style.ts';
import { HomeSymbols } from './symbols.ts';

export interface MapEvents {
  /** The map rests after somebody moved it. */
  onMove(): void;
  onPin(pin: MapPin): void;
  onPoint(id: string | null): void;
  onError(error: Error): void;
}

/** Pixels around what a cluster leads to. */
const MARGIN = 48;
const MAX_ZOOM = 19;
/** Marks movements by a control, which the view follows as it follows the mouse. */
const CHOSEN = { isChosen: true };

export interface Ground {
  readonly outlines: readonly Outline[];
  readonly ground: 'water' | 'paper';
}

export class LiveMap {
  readonly map: LibreMap;
  readonly #symbols: HomeSymbols;
  readonly #ground: Ground;
  #chosen: readonly string[] = [];
  #shown: { readonly view: View; readonly kind: HomeKind } | null = null;
  #spot: Marker | null = null;

  constructor(container: HTMLElement, ground: Ground, box: MapBox, events: MapEvents) {
    this.#ground = ground;
    this.map = new LibreMap({
      container,
      style: mapStyle({ ...ground, chosen: [] }),
      bounds: boundsOf(box),
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      maxZoom: MAX_ZOOM,
      fadeDuration: 0,
      locale: { 'Map.Title': 'Map of the homes; arrow keys move it, plus and minus zoom' },
    });
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.#symbols = new HomeSymbols(this.map, {
      onPin: events.onPin,
      onCluster: (cluster) => this.#open(cluster),
      onPoint: (pin) => events.onPoint(pin?.id ?? null),
    });
    this.map.on('moveend', (event: { readonly originalEvent?: unknown; readonly isChosen?: boolean }) => {
      if (this.#shown !== null) this.#symbols.show(this.#shown.view, this.#shown.kind);
      // The map also moves where the page or its size does.
      if (event.originalEvent !== undefined || event.isChosen === true) events.onMove();
    });
    this.map.on('error', ({ error }) => events.onError(new Error(error.message)));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#restyle());
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

  /** Moves the map without `onMove`. */
  moveTo(box: MapBox): void {
    this.map.fitBounds(boundsOf(box), { animate: false });
  }

  show(view: View, kind: HomeKind): void {
    this.#shown = { view, kind };
    this.#symbols.show(view, kind);
    const chosen = view.areas.map(({ id }) => id);
    if (chosen.join() === this.#chosen.join()) return;
    this.#chosen = chosen;
    this.#restyle();
  }

  /** Points at a home: its pin, or where it lies where it has none of its own. */
  light(id: string | null, position: readonly [lng: number, lat: number] | null = null): void {
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

  zoomBy(steps: number): void {
    this.map.jumpTo({ zoom: this.map.getZoom() + steps }, CHOSEN);
  }

  /** Shows the surroundings of a point. */
  goTo(lng: number, lat: number): void {
    this.map.jumpTo({ center: [lng, lat], zoom: Math.max(13, this.map.getZoom()) }, CHOSEN);
  }

  #open({ box, lng, lat }: MapCluster): void {
    const before = this.map.getZoom();
    const camera = this.map.cameraForBounds(boundsOf(box), { padding: MARGIN, maxZoom: MAX_ZOOM - 1 });
    // Where its box is no smaller than the view, one step closer still takes the cluster apart.
    const zoom = Math.max(camera?.zoom ?? 0, before + 1);
    this.map.jumpTo({ center: camera?.center ?? [lng, lat], zoom }, CHOSEN);
  }

  #restyle(): void {
    this.map.setStyle(mapStyle({ ...this.#ground, chosen: this.#chosen }));
  }
}

function boundsOf([west, south, east, north]: MapBox): LngLatBounds {
  return new LngLatBounds([west, south], [east < west ? east + 360 : east, north]);
}
