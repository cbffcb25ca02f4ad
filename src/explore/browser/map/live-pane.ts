// The live map in its section of the page, with its controls, its card and the ground under it.

import type { MapPin } from '../../../page/map/drawing.ts';
import type { PixelBox } from '../../../page/map/names.ts';
import type { BasemapFacts } from '../../basemap/facts.ts';
import { changed, type Parameters } from '../../view/parameters.ts';
import { boxOf, type Explorer, kindOf, type MapPane } from '../explorer.ts';
import type { View } from '../view.ts';
import type { BaseLayers } from './basemap.ts';
import { cornersOf, polygonOf } from './corners.ts';
import { fetchGround } from './ground.ts';
import { LiveMap } from './live-map.ts';
import { MapCard } from './map-card.ts';
import { MapControls } from './map-controls.ts';

export interface LivePaneEvents {
  onPoint(id: string | null): void;
  onPin(pin: MapPin): void;
  /** The row of a home, if it is shown. */
  find(id: string): View['list'][number] | undefined;
}

/** Opens the map where the drawing was, at the box of the view. */
export async function openLivePane(
  section: HTMLElement,
  explorer: Explorer,
  events: LivePaneEvents,
): Promise<MapPane> {
  const basemap = basemapOf(section);
  const [areas, base, first] = await Promise.all([
    fetchGround(explorer.firstView),
    openBase(basemap),
    explorer.view ?? explorer.firstView,
  ]);
  const container = document.createElement('div');
  container.className = 'canvas starting';
  // The drawing stays until the live map has drawn its first frame.
  section.append(container);
  const mapEvents = {
    onMove: () => {
      card.close();
      explorer.followMap(map.box());
    },
    onPin: (pin: MapPin, byKeyboard: boolean) => {
      if (explorer.view !== null) card.open(pin, explorer.view, events.find(pin.id));
      if (byKeyboard) card.focus();
      map.markSeen(pin.id);
      events.onPin(pin);
    },
    onPoint: events.onPoint,
    onError: (error: Error) => console.warn(error),
  };
  const map = new LiveMap(container, { ...areas, base }, mapEvents, {
    top: () => coveredAtTop(section),
    boxes: () => coveredBoxes(section),
  });
  const card = new MapCard(map.map);
  map.moveTo(first.box, boxOf(explorer.shown) !== null);
  await new Promise<void>((resolve) => map.map.once('idle', () => resolve()));
  section.querySelector('.canvas:not(.maplibregl-map)')?.remove();
  container.classList.remove('starting');
  document.addEventListener('keydown', ({ key }) => {
    const { pin } = card;
    // A home over the map is closed first.
    if (key !== 'Escape' || pin === null || document.querySelector('dialog[open]') !== null) return;
    const { hasFocus } = card;
    card.close();
    if (hasFocus) (map.pinOf(pin.id) ?? map.map.getCanvas()).focus({ preventScroll: true });
  });
  const controls = new MapControls(section, map, basemap?.credits ?? [], {
    onDrawn: (corners) => {
      const polygon = polygonOf(corners);
      void explorer.go(changed(explorer.parameters, { polygon, ...map.box() }), 'push');
    },
    onDraw: () => card.close(),
  });
  return {
    moveTo(box, isNamed) {
      card.close();
      map.moveTo(box, isNamed);
    },
    show(view: View, parameters: Parameters) {
      const searched = cornersOf(parameters.get('polygon'));
      // First, because no name is to stand under the caption.
      controls.showCaption(view);
      map.show({ view, kind: kindOf(parameters), searched, box: boxOf(parameters) });
    },
    light: (id, position) => map.light(id, position),
    markSeen: (id) => map.markSeen(id),
    rest() {
      map.map.resize();
      explorer.followMap(map.box());
    },
  };
}

/** What the page says of the operator's map; null: there is none. */
function basemapOf({ dataset }: HTMLElement): BasemapFacts | null {
  return dataset.basemap === undefined ? null : (JSON.parse(dataset.basemap) as BasemapFacts);
}

/** Its reader is loaded only where there is one. */
async function openBase(facts: BasemapFacts | null): Promise<BaseLayers | null> {
  if (facts === null) return null;
  const { openBaseLayers } = await import('./basemap.ts');
  return openBaseLayers(facts);
}

/** The caption, the scale and the controls, in pixels of the map. */
function coveredBoxes(section: HTMLElement): readonly PixelBox[] {
  const { left: x, top: y } = section.getBoundingClientRect();
  return [...section.querySelectorAll('.caption, .scale-bar, .map-credits, .controls')]
    .map((part) => part.getBoundingClientRect())
    .filter(({ width }) => width > 0)
    .map(({ left, top, right, bottom }) => [left - x, top - y, right - x, bottom - y]);
}

/** Pixels of the map, from its top, that the search box and the chips lie over on telephones. */
function coveredAtTop(section: HTMLElement): number {
  const { top } = section.getBoundingClientRect();
  const parts = [...document.querySelectorAll('#filters > *')].map((part) => part.getBoundingClientRect());
  return Math.max(0, ...parts.map(({ bottom, height }) => (height === 0 ? 0 : bottom - top)));
}
