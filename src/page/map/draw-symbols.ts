// Homes on a map: clusters with count and median, pins with their price, dots.

import { countText, shortAmount } from './amounts.ts';
import type { HomeKind, MapCluster, MapDrawing, MapPin } from './drawing.ts';
import { type MapView, placeIn } from './mercator.ts';
import { clusterRadius, type MapSymbols, MEDIAN_FROM, pinHalf, pinText } from './symbols.ts';
import type { Tags } from './tags.ts';

/** From north to south, so that what lies further down covers what lies above it; the lit pin comes last. */
export function drawnSymbols<T>(
  tags: Tags<T>,
  drawing: MapDrawing,
  view: MapView,
  { clusters, pins }: MapSymbols,
): T[] {
  const { lit = null } = drawing;
  const symbols = [
    ...clusters.map((cluster) => ({
      lat: cluster.lat,
      isLit: false,
      drawn: drawnCluster(tags, drawing, view, cluster),
    })),
    ...pins.map((pin) => ({
      lat: pin.lat,
      isLit: pin.id === lit,
      drawn: drawnPin(tags, drawing, view, pin),
    })),
  ];
  return symbols.sort((a, b) => Number(a.isLit) - Number(b.isLit) || b.lat - a.lat).map(({ drawn }) => drawn);
}

const tenth = (value: number): number => Math.round(value * 10) / 10;

const homesWord = (count: number): string => (count === 1 ? 'home' : 'homes');
const offerWords: Readonly<Record<HomeKind, string>> = { sale: 'for sale', rental: 'to rent' };

function drawnCluster<T>({ svg }: Tags<T>, drawing: MapDrawing, view: MapView, cluster: MapCluster): T {
  const { count, median, kind, name } = cluster;
  const [x, y] = placeIn(view, cluster.lng, cluster.lat).map(Math.round);
  const radius = tenth(clusterRadius(count) * (drawing.clusterScale ?? 1));
  const shape =
    kind === 'sale'
      ? svg`<circle class="f" r="${radius}"/>`
      : svg`<rect class="f" x="${-tenth(radius * 0.9)}" y="${-tenth(radius * 0.9)}" width="${tenth(radius * 1.8)}" height="${tenth(radius * 1.8)}" rx="3"></rect>`;
  const amount = median !== null && count >= MEDIAN_FROM ? shortAmount(median, drawing.currency) : null;
  const caption =
    amount === null ? null : svg`<text class="md" y="${Math.round(radius + 12)}">${amount}</text>`;
  const words = `${countText(count)} ${homesWord(count)} ${offerWords[kind]}${name === undefined ? '' : ` in ${name}`}${amount === null ? '' : `, median ${amount}`}`;
  // What a link is called by, browsers do not show at the pointer; the count and the place can be read beside it.
  const title = drawing.linkToCluster === undefined ? svg`<title>${words}</title>` : null;
  const symbol = svg`${title}${shape}<text y="4.5">${countText(count)}</text>`;
  const href = drawing.linkToCluster?.(cluster) ?? null;
  // The caption stands beside the link, whose name begins with what can be read in it.
  const linked = href === null ? symbol : svg`<a href="${href}" aria-label="${words}">${symbol}</a>`;
  return svg`<g class="cl ${kind}" transform="translate(${x ?? 0} ${y ?? 0})">${linked}${caption}</g>`;
}

function drawnPin<T>({ svg }: Tags<T>, drawing: MapDrawing, view: MapView, pin: MapPin): T {
  const { currency, lit = null } = drawing;
  const [x, y] = placeIn(view, pin.lng, pin.lat).map(Math.round);
  const half = pinHalf(pin, currency);
  const body = bodyOf(half);
  const others = pin.others?.length ?? 0;
  const behind = others === 0 ? null : svg`<path class="f" d="${body}" transform="translate(3 -3)"></path>`;
  const drop =
    pin.dropped === true ? svg`<path class="dn" d="M${tenth(7 - half)} -18.5h8l-4 6z"></path>` : null;
  const states = [
    pin.dropped === true ? 'dropped' : '',
    pin.approximate === true ? 'near' : '',
    pin.seen === true ? 'seen' : '',
    pin.sold === true ? 'sold' : '',
    pin.id === lit ? 'lit' : '',
  ];
  const words = pinWords(pin, currency, others);
  const group = svg`<g class="${['pn', pin.kind, ...states.filter((state) => state !== '')].join(' ')}" transform="translate(${x ?? 0} ${y ?? 0})"><title>${words}</title>${behind}<path class="f" d="${body}"></path><text x="${pin.dropped === true ? 6.5 : 0}" y="-12">${pinText(pin, currency)}</text>${drop}</g>`;
  const href = drawing.linkToPin?.(pin) ?? null;
  return href === null ? group : svg`<a href="${href}" aria-label="${words}">${group}</a>`;
}

/** A rounded label with its tip at the home. */
const bodyOf = (half: number): string =>
  `M0 0l-4-5h${tenth(15 - half)}a11 11 0 0 1 0-22h${tenth(2 * half - 22)}a11 11 0 0 1 0 22H4z`;

function pinWords(
  { kind, beds, dropped, approximate, sold, ...pin }: MapPin,
  currency: string | null,
  others: number,
): string {
  const facts = [
    pinText(pin, currency),
    beds === null ? '' : `${beds} bd`,
    sold === true ? 'sold' : offerWords[kind],
    dropped === true ? 'price dropped' : '',
    approximate === true ? 'approximate place' : '',
    others === 0 ? '' : `and ${others} more here`,
  ];
  return facts.filter((fact) => fact !== '').join(', ');
}

/** Dots as one path for each kind, which is a few bytes a home. */
export function drawnDots<T>({ svg }: Tags<T>, { dots = [] }: MapDrawing, view: MapView): T | null {
  if (dots.length === 0) return null;
  const paths = (['sale', 'rental'] as const).map((kind) => {
    const moves = dots.flatMap(([lng, lat, dotKind]) => {
      if (dotKind !== kind) return [];
      const [x, y] = placeIn(view, lng, lat).map(Math.round);
      return [`M${x} ${y}h0`];
    });
    return svg`<path class="dt ${kind}" d="${moves.join('')}"></path>`;
  });
  return svg`<g aria-hidden="true">${paths}</g>`;
}
