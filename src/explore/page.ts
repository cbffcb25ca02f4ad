// Page of the explorer as the server writes it: filters, map and list, whole without script.

import { type Html, html } from '../page/html.ts';
import type { MapBox } from '../page/map/mercator.ts';
import { boxOfView, movedView, viewOf } from '../page/map/mercator.ts';
import { TEXT_TAGS as tags } from '../page/map/tags.ts';
import type { BasemapFacts } from './basemap/facts.ts';
import { type FilterBar, filterBar } from './parts/filter-bar.ts';
import { homeRow } from './parts/home-row.ts';
import { type IconName, icon } from './parts/icons.ts';
import { limitPanel } from './parts/limits.ts';
import { listHead, pageLinks } from './parts/list-head.ts';
import { emptyList, type LockedPanel, lockedPanel, type Notice, notice } from './parts/notices.ts';
import type { CountedChange } from './view/filter-counts.ts';
import { linkTo, type Parameters } from './view/parameters.ts';
import type { View } from './view/view.ts';

export interface ExploreContent {
  readonly root: string;
  readonly now: number;
  readonly bar: FilterBar;
  /** Null: the store cannot be read, or the query is wrong. */
  readonly view: View | null;
  readonly map: Html | null;
  /** What the live map draws under the areas; null: nothing. */
  readonly basemap: BasemapFacts | null;
  readonly notices: readonly Notice[];
  /** Instead of homes, where the reader may not look; null: they may. */
  readonly locked: LockedPanel | null;
  /** Of a view without homes. */
  readonly ways: readonly CountedChange[];
  readonly isSold: boolean;
  readonly foot: Html;
}

/** Pixels of the map as it is drawn. */
export const MAP_SIZE = { width: 800, height: 684 } as const;
/** Rows that are in sight at once. */
const IN_SIGHT = 5;

export function exploreContent(content: ExploreContent): Html {
  const { bar, view, map, basemap } = content;
  return html`${filterBar(tags, bar)}
<div class="app"><section class="map" id="map" aria-label="Map"${basemap === null ? null : html` data-basemap="${JSON.stringify(basemap)}"`}><div class="canvas" tabindex="0" role="group" aria-label="Map of the homes">${map}</div>${
    view === null ? null : controls(bar.parameters, view.box)
  }${view === null ? null : caption(view)}</section>
<section class="side sheet" id="list-side" aria-label="List of homes"><span class="handle" aria-hidden="true"></span>${side(content)}</section></div>`;
}

function side(content: ExploreContent): Html {
  const { view, bar, notices, root, now, isSold } = content;
  const noted = notices.map((each) => notice(tags, each));
  if (view === null)
    return html`<header class="list-head"><div><h1 id="count" aria-live="polite">Homes</h1></div></header><div class="scroller">${noted}${content.locked === null ? null : lockedPanel(tags, content.locked)}${content.foot}</div>`;
  const { parameters, kind } = bar;
  const { total, medianPrice: median, currency } = view;
  const rows = view.list.map((home, at) => homeRow(tags, home, { root, now, isInSight: at < IN_SIGHT }));
  const list = rows.length === 0 ? null : html`<ol class="rows" id="list">${rows}</ol>`;
  return html`${listHead(tags, { parameters, total, kind, isSold, median, currency })}<div class="scroller">${noted}${list}${
    total === 0 ? noHomes(content) : null
  }${limitPanel(tags, view, root)}${content.foot}</div>${pageLinks(tags, {
    parameters,
    total,
    first: view.firstRow,
    shown: rows.length,
    nextCursor: view.nextCursor,
    signIn: view.limitedTo === null ? null : `${root}explore/sign-in`,
  })}`;
}

function noHomes({ ways, bar }: ExploreContent): Html {
  const text =
    ways.length === 0
      ? 'The market has no such home at the moment.'
      : 'These are the nearest views that have some.';
  return emptyList(
    tags,
    text,
    ways.map(({ label, changes, count }) => ({ label, count, href: linkTo(bar.parameters, changes) })),
  );
}

/** Links that move the map: half a view to each side, closer, further away, and back to everything. */
function controls(parameters: Parameters, box: MapBox): Html {
  const view = viewOf(box, MAP_SIZE.width, MAP_SIZE.height);
  const to = (across: number, down: number, zoomBy: number): string => {
    const next = movedView(view, across, down, zoomBy);
    return linkTo(parameters, { bbox: boxOfView(next).join(','), zoom: next.zoom.toFixed(1) });
  };
  const link = (href: string, label: string, name: IconName): Html =>
    html`<a href="${href}" aria-label="${label}" title="${label}">${icon(tags, name)}</a>`;
  return html`<nav class="controls" aria-label="Move the map"><div>${link(to(0, 0, 1), 'Closer', 'plus')}${link(to(0, 0, -1), 'Further away', 'minus')}</div><div>${link(
    linkTo(parameters, { bbox: null, zoom: null, areaId: null }),
    'The whole market',
    'whole',
  )}</div><div class="compass">${link(to(0, -0.5, 0), 'North', 'north')}${link(to(-0.5, 0, 0), 'West', 'west')}${link(to(0.5, 0, 0), 'East', 'east')}${link(
    to(0, 0.5, 0),
    'South',
    'south',
  )}</div></nav>`;
}

function caption({ sources, asOf }: View): Html {
  const names = sources.map(({ name }) => name).join(', ');
  return html`<p class="caption">${names === '' ? null : `${names} · `}as of <time datetime="${asOf}">${asOf.slice(11, 19)} UTC</time></p>`;
}
