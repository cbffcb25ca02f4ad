// Map of the areas of the market page, filled by one of the figures of their table.

import { type Html, html } from '../../page/html.ts';
import { drawMap } from '../../page/map/draw-map.ts';
import type { MapDrawing } from '../../page/map/drawing.ts';
import { AGE, type FigureKind, INVENTORY, MONTHS_OF_SUPPLY } from './metric-choice.ts';
import { choiceOf, linkTo, type MarketPage } from './page-parts.ts';
import type { ColourKey } from './page-query.ts';
import { MAP_HEIGHT, MAP_PADDING, MAP_WIDTH } from './read-map.ts';
import { areaTypeWords, shortFigure } from './words.ts';

const STEPS = 5;

const COLOURS: readonly (readonly [key: ColourKey, name: string, kind: FigureKind])[] = [
  ['median', 'Median', 'money'],
  ['year', 'Year', 'share'],
  ['homes', 'Homes', 'count'],
  ['age', 'Age', 'days'],
  ['supply', 'Supply', 'months'],
];

/** Null where there are no outlines. Of too many areas to compare, it shows those of the page of the table. */
export function choropleth(page: MarketPage): Html | null {
  const { map, table, view } = page;
  if (map === null || table === null) return null;
  const ids = new Set(table.compared.map(({ areaId }) => areaId));
  if (!map.outlines.some(({ id }) => ids.has(id))) return null;
  const values = valuesById(page);
  const known = [...values.values()].filter((value) => value !== null).toSorted((a, b) => a - b);
  const edges = quantiles(known);
  const shades = new Map([...values].map(([id, value]) => [id, value === null ? 0 : stepOf(value, edges)]));
  const [, many] = areaTypeWords(table.set.type);
  const [, name, kind] = COLOURS.find(([key]) => key === view.colour) ?? ['median', 'Median', 'money'];
  const currency = page.figures.series.currency;
  const drawn: MapDrawing = {
    label: `${many} by ${name.toLowerCase()}; the figures are in the table`,
    box: map.box,
    width: MAP_WIDTH,
    height: MAP_HEIGHT,
    padding: MAP_PADDING,
    ground: map.ground,
    outlines: map.outlines,
    currency,
    shades,
    graticule: false,
    linkToArea: ({ id }) => (ids.has(id) ? linkTo(view, { areaId: id, within: null }) : null),
  };
  const drawing = drawMap(drawn, map.land);
  return html`<section class="panel area-map"><h3 class="visually-hidden">Map of the ${many.toLowerCase()}</h3>${drawing}<div class="in"><div class="seg small" role="group" aria-label="Colours by">${COLOURS.map(
    ([key, title]) =>
      html`<a href="${linkTo(view, { colour: key, page: view.page })}#areas"${key === view.colour ? html` aria-current="true"` : null}>${title}</a>`,
  )}</div>${
    table.canSortByFigures ? null : html`<p class="quiet">The ${ids.size} of this page of the table.</p>`
  }${legend(edges, (value) => shortFigure(kind, value, currency))}</div></section>`;
}

/** The figure of each area that the colours show; null: too few homes. */
function valuesById(page: MarketPage): ReadonlyMap<string, number | null> {
  const price = choiceOf(page).price.id;
  const { colour } = page.view;
  return new Map(
    (page.table?.compared ?? []).map(({ areaId, metrics }) => {
      if (colour === 'year') return [areaId, metrics[price]?.change?.yearAgo ?? null];
      const id = { median: price, homes: INVENTORY, age: AGE, supply: MONTHS_OF_SUPPLY }[colour];
      return [areaId, metrics[id]?.value ?? null];
    }),
  );
}

/** The edges of five steps with as many areas each: six ascending values; empty without any. */
function quantiles(sorted: readonly number[]): readonly number[] {
  if (sorted.length === 0) return [];
  return Array.from(
    { length: STEPS + 1 },
    (_, step) => sorted[Math.round((step / STEPS) * (sorted.length - 1))] ?? 0,
  );
}

/** 1 to 5: the highest step whose lower edge the value reaches. */
function stepOf(value: number, edges: readonly number[]): number {
  return Math.max(1, edges.slice(0, STEPS).findLastIndex((edge) => value >= edge) + 1);
}

function legend(edges: readonly number[], format: (value: number) => string): Html | null {
  if (edges.length === 0) return null;
  const width = 100 / STEPS;
  return html`<svg class="map-svg map-key" height="12" aria-hidden="true">${Array.from(
    { length: STEPS },
    (_, at) => html`<rect class="s${at + 1}" x="${at * width}%" width="${width}%" height="12"/>`,
  )}</svg><p class="edges">${edges.map((edge) => html`<span>${format(edge)}</span>`)}</p>`;
}
