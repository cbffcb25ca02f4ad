// Lines of whole degrees or minutes across a map, and its scale bar.

import type { Html } from '../html.ts';
import { type MapView, project, unproject, worldSize } from './mercator.ts';
import { type Tags, TEXT_TAGS } from './tags.ts';

/** Minutes of arc between lines. */
const STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800] as const;
/** Pixels between lines, at least. */
const APART = 110;

/** Meridians and parallels. */
export function graticule<T>({ svg }: Tags<T>, view: MapView): T {
  const pixels = worldSize(view.zoom) / 360 / 60;
  const step = STEPS.find((minutes) => minutes * pixels >= APART) ?? 1800;
  const [west, north] = unproject(view.left, view.top, view.zoom);
  const [east, south] = unproject(view.left + view.width, view.top + view.height, view.zoom);
  const lines: string[] = [];
  for (let minutes = Math.ceil((west * 60) / step) * step; minutes < east * 60; minutes += step)
    lines.push(`M${Math.round(project(minutes / 60, 0, view.zoom)[0] - view.left)} 0v${view.height}`);
  for (let minutes = Math.ceil((south * 60) / step) * step; minutes < north * 60; minutes += step)
    lines.push(`M0 ${Math.round(project(0, minutes / 60, view.zoom)[1] - view.top)}h${view.width}`);
  return svg`<path class="gr" d="${lines.join('')}"></path>`;
}

const METRES = { miles: 1609.344, km: 1000 } as const;
const EQUATOR = 40_075_016.7;
const LENGTHS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];

/** A bar scale for the middle of a view: an svg of its own, to be placed in a corner. Lengths hold at its middle latitude. */
export const scaleBar = (view: MapView, unit: 'miles' | 'km'): Html => scaleBarWith(TEXT_TAGS, view, unit);

export function scaleBarWith<T>({ html, svg }: Tags<T>, view: MapView, unit: 'miles' | 'km'): T {
  const [, lat] = unproject(0, view.top + view.height / 2, view.zoom);
  const metres = (EQUATOR * Math.cos((lat * Math.PI) / 180)) / worldSize(view.zoom);
  const length = LENGTHS.findLast((each) => (each * METRES[unit]) / metres <= 160) ?? 0.1;
  const half = Math.round((length * METRES[unit]) / metres / 2);
  const blocks = [0, 1, 2, 3].map(
    (at) =>
      svg`<rect class="${at % 2 === 0 ? 'on' : 'off'}" x="${8 + (at * half) / 2}" y="2" width="${half / 2}" height="5"></rect>`,
  );
  const width = 2 * half + 56;
  return html`<svg class="map-scale" width="${width}" height="24" viewBox="0 0 ${width} 24" role="img" aria-label="Scale: ${length} ${unit}">${blocks}<text x="8" y="21">0</text><text x="${8 + half}" y="21">${length / 2}</text><text x="${8 + 2 * half}" y="21">${length} ${unit}</text></svg>`;
}
