// The live map in its section of the page, with its controls, its card and the ground under it.

import type { MapPin } from '../../../page/map/drawing.ts';
import type { MapBox } from '../../../page/map/mercator.ts';
import { changed, type Parameters } from '../../view/parameters.ts';
import { type Explorer, kindOf, type MapPane } from '../explorer.ts';
import type { View } from '../view.ts';
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

export interface LivePane extends MapPane {
  light(id: string | null, position: readonly [number, number] | null): void;
  markSeen(id: string): void;
}

/** Opens the map where the drawing was, at the box of the view. */
export async function openLivePane(
  section: HTMLElement,
  explorer: Explorer,
  events: LivePaneEvents,
): Promise<LivePane> {
  const [ground, box] = await Promise.all([fetchGround(), boxToShow(explorer)]);
  const container = document.createElement('div');
  container.className = 'canvas starting';
  // The drawing stays until the live map has drawn its first frame.
  section.append(container);
  const map = new LiveMap(container, ground, box, {
    onMove: () => {
      card.close();
      explorer.follow(map.box());
    },
    onPin: (pin) => {
      if (explorer.view !== null) card.open(pin, explorer.view, events.find(pin.id));
      map.markSeen(pin.id);
      events.onPin(pin);
    },
    onPoint: events.onPoint,
    onError: (error) => console.warn(error),
  });
  const card = new MapCard(map.map);
  await new Promise<void>((resolve) => map.map.once('idle', () => resolve()));
  section.querySelector('.canvas:not(.maplibregl-map)')?.remove();
  container.classList.remove('starting');
  const controls = new MapControls(section, map, {
    onDraw: () => void drawArea(map, explorer),
    onUnknownPlace: (reason) => console.info(`The place is not known: ${reason}`),
  });
  return {
    moveTo: (target) => map.moveTo(target),
    show(view: View, parameters: Parameters) {
      map.show(view, kindOf(parameters));
      controls.showCaption(view);
    },
    light: (id, position) => map.light(id, position),
    markSeen: (id) => map.markSeen(id),
  };
}

/** The box of the first view, which the page waits for anyway. */
async function boxToShow(explorer: Explorer): Promise<MapBox> {
  const view = explorer.view ?? (await explorer.firstView);
  return view.box;
}

async function drawArea(map: LiveMap, explorer: Explorer): Promise<void> {
  const { drawPolygon } = await import('./draw-area.ts');
  const corners = await drawPolygon(map.map);
  if (corners === null) return;
  const polygon = corners.map(([lng, lat]) => `${lng.toFixed(5)},${lat.toFixed(5)}`).join(';');
  await explorer.go(changed(explorer.parameters, { polygon, ...map.box() }), 'push');
}
