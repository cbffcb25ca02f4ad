// Map as SVG: water, coast, land, borders, names and homes. Works without script, in any page, and inside other programs.

import type { Html } from '../html.ts';
import { drawnDots, drawnSymbols } from './draw-symbols.ts';
import type { MapCluster, MapDrawing, MapPin } from './drawing.ts';
import { graticule } from './graticule.ts';
import { type DrawnLand, drawnLand, pathOfArea } from './land.ts';
import { type MapView, viewOf } from './mercator.ts';
import { placeNames } from './names.ts';
import { coveredBy, type MapSymbols, mergeOverlapping, nearTurn } from './symbols.ts';
import { type Tags, TEXT_TAGS } from './tags.ts';

/** The map as markup of a page; `land`: what `landSteps` made of the drawing, default: it is made at once. */
export const drawMap = (drawing: MapDrawing, land?: DrawnLand): Html => drawMapWith(TEXT_TAGS, drawing, land);

/** The map by the tags of its renderer, such as lit-html's `html` and `svg`. */
export function drawMapWith<T>(tags: Tags<T>, drawing: MapDrawing, land = drawnLand(drawing)): T {
  const { html, svg } = tags;
  const { label, width, height, prefix = 'map', ground = 'paper', shades } = drawing;
  const view = viewOf(drawing.box, width, height, drawing.padding);
  const symbols = symbolsOf(drawing, view);
  const isWater = ground === 'water';
  const grid = (drawing.graticule ?? isWater) ? graticule(tags, view) : null;
  const parts = [
    svg`<rect class="${isWater ? 'wt' : 'pp'}" width="${width}" height="${height}"></rect>`,
    grid,
    ...groundOf(tags, land, { prefix, isWater, isDimmed: land.chosen !== '' }),
    ...(shades === undefined ? [] : shadesOf(tags, land, shades, prefix)),
    ...bordersOf(tags, land),
    drawnDots(tags, drawing, view),
    ...(drawing.names === false ? [] : namesOf(tags, drawing, land, view, symbols)),
    ...drawnSymbols(tags, drawing, view, symbols),
  ];
  return html`<svg class="map-svg${shades === undefined ? '' : ' shaded'}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="${label}" preserveAspectRatio="xMidYMid slice">${parts}</svg>`;
}

/** The symbols at the turn of the world that the view shows, merged where they would overlap; the lit pin stays as it is. */
function symbolsOf(
  { clusters = [], pins = [], lit = null, merges = true, currency }: MapDrawing,
  view: MapView,
): MapSymbols {
  const [middle] = [((view.left + view.width / 2) / (512 * 2 ** view.zoom) - 0.5) * 360];
  const near = <S extends MapCluster | MapPin>(symbol: S): S => ({
    ...symbol,
    lng: nearTurn(symbol.lng, middle),
  });
  const all = { clusters: clusters.map(near), pins: pins.map(near) };
  if (!merges) return all;
  const merged = mergeOverlapping(all, view.zoom, currency);
  if (lit === null || merged.pins.some(({ id }) => id === lit)) return merged;
  return { ...merged, pins: [...merged.pins, ...all.pins.filter(({ id }) => id === lit)] };
}

interface GroundLook {
  readonly prefix: string;
  readonly isWater: boolean;
  readonly isDimmed: boolean;
}

/** Widths and opacities of the bands along a coast, the outermost first. */
const COAST = [
  [56, 0.35],
  [32, 0.5],
  [12, 0.7],
] as const;

function groundOf<T>(
  { svg }: Tags<T>,
  { borders, chosen }: DrawnLand,
  { prefix, isWater, isDimmed }: GroundLook,
): T[] {
  if (borders.land === '') return [];
  const id = `${prefix}-land`;
  return [
    svg`<defs><path id="${id}" d="${borders.land}"></path></defs>`,
    ...(isWater ? COAST : []).map(
      ([band, opacity]) =>
        svg`<use href="#${id}" class="co" stroke-width="${band}" stroke-opacity="${opacity}"></use>`,
    ),
    svg`<use href="#${id}" class="${isDimmed ? 'far' : 'ld'}"></use>`,
    ...(isDimmed ? [svg`<path id="${prefix}-chosen" class="ld" d="${chosen}"></path>`] : []),
    svg`<use href="#${id}" class="ed" fill="none"></use>`,
  ];
}

function bordersOf<T>({ svg }: Tags<T>, { borders, chosen }: DrawnLand): T[] {
  return [
    ...(borders.minor === '' ? [] : [svg`<path class="mn" d="${borders.minor}"></path>`]),
    ...(borders.major === '' ? [] : [svg`<path class="mj" d="${borders.major}"></path>`]),
    ...(chosen === '' ? [] : [svg`<path class="ch" d="${chosen}"></path>`]),
  ];
}

/** Areas filled by their step; those of step 0, with too few homes, are hatched. */
function shadesOf<T>(
  { svg }: Tags<T>,
  { areas }: DrawnLand,
  shades: ReadonlyMap<string, number>,
  prefix: string,
): T[] {
  const shaded = areas.filter(({ outline }) => shades.has(outline.id));
  const hatch = svg`<pattern id="${prefix}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="ha" d="M0 0V6"></path></pattern>`;
  const filled = shaded.map((area) => {
    const step = shades.get(area.outline.id) ?? 0;
    const fill = svg`<path class="s${step}" d="${pathOfArea(area)}"><title>${area.outline.name}</title></path>`;
    if (step > 0) return [fill];
    return [fill, svg`<path fill="url(#${prefix}-hatch)" d="${pathOfArea(area)}"></path>`];
  });
  return [svg`<defs>${hatch}</defs>`, ...filled.flat()];
}

function namesOf<T>(
  { svg }: Tags<T>,
  { linkToArea, width, height, clusterScale = 1, majorSize }: MapDrawing,
  land: DrawnLand,
  view: MapView,
  symbols: MapSymbols,
): T[] {
  return placeNames(land.names, coveredBy(symbols, view, clusterScale), width, height, majorSize).map(
    ({ outline, x, y, isMajor }) => {
      const text = svg`<text class="nm${isMajor ? ' mj' : ''}" x="${x}" y="${y}">${outline.name}</text>`;
      const href = linkToArea?.(outline) ?? null;
      return href === null ? text : svg`<a href="${href}">${text}</a>`;
    },
  );
}
