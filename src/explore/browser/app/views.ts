// What the page of an MCP App shows of a result: a map, a list, one home. Strings, by the templates of the server.

import { type Fragment, type Html, html } from '../../../page/html.ts';
import { shortAmount } from '../../../page/map/amounts.ts';
import { drawMap } from '../../../page/map/draw-map.ts';
import type { Outline } from '../../../page/map/drawing.ts';
import { boxAround, type MapBox } from '../../../page/map/mercator.ts';
import { enumWords, priceWords } from '../../../page/words.ts';
import { now } from '../clock.ts';
import type { AppHome, AppResult } from './homes.ts';

/** The land that maps are drawn on. */
export interface Land {
  readonly outlines: readonly Outline[];
  readonly ground: 'water' | 'paper';
}

export interface Shown {
  readonly result: AppResult;
  readonly land: Land;
  /** The home that is open; null: none. */
  readonly openId: string | null;
  /** What the map shows; null: all homes. */
  readonly box: MapBox | null;
  /** Pixels of the map. */
  readonly width: number;
  readonly height: number;
  /** Whether the host can ask the service where the homes lie. */
  readonly canLocate: boolean;
}

/** Prefix of links that open a home, and of those that move the map. */
export const HOME = '#home:';
export const BOX = '#box:';
export const ALL = '#all';
export const LOCATE = '#locate';
export const BACK = '#back';

const ZOOM = 13;
const MAX_FEATURES = 12;

export function appContent(shown: Shown): Html {
  const { result, openId } = shown;
  if (result.form === 'text' || result.homes.length === 0) return textView(result);
  const open =
    result.homes.find(({ id }) => id === openId) ?? (result.form === 'home' ? result.homes[0] : undefined);
  const map = mapView(shown, open?.id ?? null);
  return html`${head(result)}<div class="${map === null ? 'app' : 'app mapped'}">${map}<div class="side">${
    open === undefined ? homeList(shown) : openHome(open, shown)
  }</div></div>`;
}

export const waitingView = (text: string): Html => html`<p class="state" role="status">${text}</p>`;

function textView({ text, hasFailed, view, form }: AppResult): Html {
  const words = form === 'text' ? text : 'No home matches.';
  return html`<div class="state"${hasFailed ? html` role="alert"` : null}><p class="plain">${words}</p>${viewLink(view, 'See it at the service')}</div>`;
}

function head({ homes, total, form, view }: AppResult): Html {
  const count = total ?? homes.length;
  const shown = count > homes.length ? html` <span class="quiet">· ${homes.length} here</span>` : null;
  const noun = count === 1 ? 'home' : 'homes';
  const title = {
    search: `${count.toLocaleString('en-US')} ${noun}`,
    comparables: `${count} comparable ${noun}`,
    home: 'One home',
    text: '',
  }[form];
  return html`<header><h1>${title}${shown}</h1>${viewLink(view, form === 'search' ? 'Open the map' : 'Open its page')}</header>`;
}

const viewLink = (view: string | null, words: string): Html | null =>
  view === null ? null : html`<a class="btn" href="${view}">${words}</a>`;

/** Null where nothing says where the homes lie. */
function mapView({ result, land, box, width, height, canLocate }: Shown, lit: string | null): Html | null {
  const placed = result.homes.filter(({ at }) => at !== null);
  if (placed.length === 0)
    return canLocate && result.form === 'search'
      ? html`<div class="map none"><p>This result does not say where its homes lie.</p><a class="btn" href="${LOCATE}">Show them on the map</a><p class="quiet">One more call.</p></div>`
      : null;
  const around = box ?? boxOf(placed);
  const one = result.homes.length === 1 ? result.homes[0] : undefined;
  const drawing = drawMap({
    label: one === undefined ? `Map of ${placed.length} homes` : `Map around ${one.address ?? 'the home'}`,
    box: around,
    width,
    height,
    padding: box === null && placed.length > 1 ? 44 : 0,
    ground: land.ground,
    outlines: land.outlines,
    currency: placed[0]?.currency ?? null,
    lit,
    graticule: false,
    pins: placed.map(({ id, kind, price, beds, at, status }) => ({
      id,
      kind,
      price,
      beds,
      lng: at?.[0] ?? 0,
      lat: at?.[1] ?? 0,
      sold: status === 'CLOSED',
    })),
    linkToPin: ({ id }) => `${HOME}${encodeURIComponent(id)}`,
    linkToCluster: ({ box: inside }) => `${BOX}${inside.join(',')}`,
  });
  return html`<div class="map">${drawing}${box === null ? null : html`<a class="btn small all" href="${ALL}">All homes</a>`}</div>`;
}

/** Around all homes; around one, some streets. */
function boxOf(homes: readonly AppHome[]): MapBox {
  const points = homes.flatMap(({ at }) => (at === null ? [] : [at]));
  const lngs = points.map(([lng]) => lng);
  const lats = points.map(([, lat]) => lat);
  const box = [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)] as const;
  if (box[2] - box[0] > 0.002 || box[3] - box[1] > 0.002) return box;
  return boxAround({ lng: (box[0] + box[2]) / 2, lat: (box[1] + box[3]) / 2 }, ZOOM, 640, 400);
}

function homeList({ result }: Shown): Html {
  return html`<ol class="rows">${result.homes.map(
    (home) =>
      html`<li class="row"><div><p class="first"><a class="price" href="${HOME}${encodeURIComponent(home.id)}">${priceOf(home)}</a>${tag(home)}</p><p>${facts(home)}</p><p>${home.address ?? 'Address withheld'}</p><p class="meta">${meta(home)}</p></div></li>`,
  )}</ol>`;
}

function openHome(home: AppHome, { result }: Shown): Html {
  const page = result.form === 'home' ? null : pageOf(home, result.view);
  const known: readonly (readonly [string, string | null])[] = [
    ['Kind', home.propertyType === null ? null : enumWords(home.propertyType)],
    ['Built', home.yearBuilt === null ? null : String(home.yearBuilt)],
    ['Sold for', home.closePrice === null ? null : shortAmount(home.closePrice, home.currency)],
  ];
  return html`<article class="home">${
    result.form === 'home' ? null : html`<p><a class="btn small" href="${BACK}">Back to the list</a></p>`
  }<h2 tabindex="-1">${home.address ?? 'Address withheld'}</h2><p class="first"><span class="price">${priceOf(home)}</span>${tag(home)}</p><p>${facts(home)}</p><dl>${known.flatMap(
    ([name, value]) => (value === null ? [] : [html`<div><dt>${name}</dt><dd>${value}</dd></div>`]),
  )}</dl>${
    home.features.length === 0
      ? null
      : html`<ul class="features">${home.features.slice(0, MAX_FEATURES).map((name) => html`<li>${enumWords(name)}</li>`)}</ul>`
  }${home.description === null ? null : html`<p class="plain">${home.description}</p>`}<p class="meta">${meta(home)}</p>${viewLink(page, 'Open its page')}</article>`;
}

/** The page of a home at the service that the result leads to. */
function pageOf({ id }: AppHome, view: string | null): string | null {
  const [base] = view?.split('/explore') ?? [];
  return base === undefined ? null : `${base}/explore/listing/${encodeURIComponent(id)}`;
}

const priceOf = ({ price, ...home }: AppHome): string =>
  price === null ? 'Price on request' : priceWords({ price, ...home });

function tag({ status, kind }: AppHome): Fragment {
  if (status === 'CLOSED') return html`<span class="tag">${kind === 'sale' ? 'Sold' : 'Let'}</span>`;
  return status === null || status === 'ACTIVE' ? null : html`<span class="tag">${enumWords(status)}</span>`;
}

function facts({ beds, baths, livingArea, areaUnit }: AppHome): string {
  const known = [
    beds === null ? null : beds === 0 ? 'Studio' : `${beds} bd`,
    baths === null ? null : `${baths} ba`,
    livingArea === null ? null : `${Math.round(livingArea).toLocaleString('en-US')} ${areaUnit ?? ''}`.trim(),
  ].filter((fact) => fact !== null);
  return known.length === 0 ? 'Size unknown' : known.join(' · ');
}

/** Whose it is, how old what is known of it is, and what else is said of it. */
function meta({ attribution, confirmedAt, place, note }: AppHome): string {
  const since = confirmedAt === null ? Number.NaN : now() - Date.parse(confirmedAt);
  return [
    note,
    place,
    attribution,
    Number.isNaN(since) ? null : `confirmed ${ageWords(Math.max(0, since))} ago`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

function ageWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return `${Math.floor(milliseconds / 1_000)} s`;
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} days`;
}
