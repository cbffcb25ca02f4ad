// Page of one home, and the same content as a sheet over the map.

import { parseTime } from '../../lib/clock.ts';
import type { Listing } from '../../listings/record.ts';
import { CHART_STYLE } from '../../page/chart/chart-style.ts';
import { siteFooter } from '../../page/footer.ts';
import { siteHeader } from '../../page/header.ts';
import { type Fragment, type Html, html, visibleText } from '../../page/html.ts';
import { renderLayout } from '../../page/layout.ts';
import { MAP_STYLE } from '../../page/map/map-style.ts';
import { PARTS_STYLE } from '../../page/parts-style.ts';
import { FRAME_STYLE } from '../../page/style.ts';
import { moneyWords, priceWords } from '../../page/words.ts';
import type { PageScript } from '../assets/assets.ts';
import { areaPanel, brokerPanel, livePanel, sourceSection } from './aside.ts';
import { comparablesMap } from './comparables-map.ts';
import { comparablesSection } from './comparables-section.ts';
import { estimateSection } from './estimate-section.ts';
import { description, factLine, factTable, featureTags } from './facts.ts';
import { HOME_STYLE } from './home-style.ts';
import { lightBox, type Photo, photoGrid, photosOf } from './photos.ts';
import { changeOf, priceSection } from './price-section.ts';
import type { Home, HomeArea } from './read-home.ts';
import { openGraphOf, pageTitle, structuredData, summaryOf } from './structured-data.ts';
import { ageWords, dayWords, oneLine, placeOf, statusWords, titleOf } from './words.ts';

export const PAGE_STYLE = FRAME_STYLE + PARTS_STYLE + CHART_STYLE + MAP_STYLE + HOME_STYLE;

/** Prefix of links from /explore/listing/{id} to the root of the service. */
export const PAGE_ROOT = '../../';
/** The same from /explore, over which a sheet lies. */
export const SHEET_ROOT = '';

export interface HomePageOptions {
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly script: PageScript;
  /** Whether search engines may list the page. */
  readonly isPublic: boolean;
}

/** Where the content of a home stands: its links begin at `root`, its requests at `publicUrl`, without a slash at its end. */
export interface Placement {
  readonly root: string;
  readonly publicUrl: string;
}

export function homePhotos({ listing }: Home, { publicUrl, root }: Placement): readonly Photo[] {
  return photosOf(listing, publicUrl, root);
}

export function renderHomePage(home: Home, { publicUrl, script, isPublic }: HomePageOptions): string {
  const { listing, now } = home;
  const url = `${publicUrl}/explore/listing/${listing.id}`;
  const placement = { root: PAGE_ROOT, publicUrl };
  const photos = homePhotos(home, placement);
  const pictures = photos.map((photo) =>
    photo.url.startsWith('https:') ? photo.url : `${publicUrl}/${photo.url.slice(PAGE_ROOT.length)}`,
  );
  return renderLayout({
    title: pageTitle(listing),
    style: PAGE_STYLE,
    head: html`<meta name="description" content="${summaryOf(listing)}">${isPublic ? null : html`<meta name="robots" content="noindex">`}<meta name="twitter:card" content="summary_large_image">${script.preloads.map((path) => html`<link rel="modulepreload" href="${PAGE_ROOT}${path}">`)}${structuredData(home, url, pictures)}`,
    canonical: url,
    openGraph: openGraphOf(home, url, pictures[0] ?? null),
    header: siteHeader({
      root: PAGE_ROOT,
      current: 'explore',
      search: { place: null, query: '' },
      freshness: { confirmedAt: listing.fetchedAt, now },
    }),
    content: homeContent(home, photos, placement),
    footer: siteFooter({
      root: PAGE_ROOT,
      confirmedAt: listing.fetchedAt,
      sources: [
        {
          name: oneLine(listing.provider.name ?? home.sourceName ?? listing.provider.id),
          line: visibleText(listing.attribution),
        },
      ],
    }),
    scripts: [`${PAGE_ROOT}${script.src}`],
  });
}

/** What is the same on its page and in a sheet. */
export function homeContent(home: Home, photos: readonly Photo[], { root, publicUrl }: Placement): Html {
  const { listing, areas, now } = home;
  return html`<article class="home-page" id="home" data-id="${listing.id}">${crumbs(areas, listing, root)}
<header class="home-head"><div><h1>${titleOf(listing)}</h1><p class="quiet">${placeOf(listing)}</p></div><div class="buttons" data-actions data-id="${listing.id}" data-root="${root}" data-name="${pageTitle(listing)}"></div>${priceOf(listing, now)}</header>
${endNotice(home, root)}${photoGrid(photos, listing.photoCount)}
<div class="home-columns"><div class="home-about">${factLine(listing)}${description(listing)}${factTable(listing)}${featureTags(listing)}</div>
<div class="home-aside">${livePanel(listing, root, publicUrl)}${brokerPanel(home)}${areaPanel(home, root)}</div>
<div class="home-money">${priceSection(home, publicUrl)}${estimateSection(home, root, publicUrl)}</div></div>
${comparablesSection(home, { map: comparablesMap(home), root, baseUrl: publicUrl })}${sourceSection(home)}</article>${lightBox(photos, titleOf(listing))}`;
}

function crumbs(areas: readonly HomeArea[], { listingType }: Listing, root: string): Html {
  return html`<nav class="home-crumbs" aria-label="Areas"><ol>${areas.map(
    ({ id, name }) =>
      html`<li><a href="${root}explore?for=${listingType}&amp;areaId=${id}">${oneLine(name, 60)}</a></li>`,
  )}</ol></nav>`;
}

function priceOf(listing: Listing, now: number): Html {
  const { price, currency, priceChange, closePrice, status } = listing;
  const { text, kind } = statusWords(listing);
  const shown = status === 'CLOSED' && listing.listingType === 'sale' ? closePrice : price;
  const changedAt = parseTime(priceChange?.at ?? null);
  const change =
    priceChange === null || status === 'CLOSED'
      ? null
      : html` ${changeOf(priceChange.direction === 'decrease' ? -Math.abs(priceChange.amount) : Math.abs(priceChange.amount), currency)}${
          changedAt === null ? null : html` <span class="quiet">${sinceWords(changedAt, now)}</span>`
        }`;
  return html`<div class="home-price"><p class="amount">${
    shown === null ? priceUnknown(status) : priceWords({ ...listing, price: shown })
  }</p><p><span class="tag ${kind}">${text}</span>${change}</p></div>`;
}

const priceUnknown = (status: Listing['status']): Html =>
  html`<span class="quiet">${status === 'CLOSED' ? 'Price paid not stated' : 'Price not stated'}</span>`;

const DAY = 86_400_000;

const sinceWords = (at: number, now: number): string =>
  now - at < DAY && Math.floor(at / DAY) === Math.floor(now / DAY)
    ? `since ${new Date(at).toISOString().slice(11, 16)} UTC`
    : `since ${dayWords(at)}`;

/** What became of a home that is no longer offered, and where to go on. */
function endNotice({ listing, property, areas, now }: Home, root: string): Fragment {
  const { status, listingType, closedAt, offMarketAt, closePrice, price, currency } = listing;
  const { kind, text } = statusWords(listing);
  if (kind !== 'sold' && kind !== 'withdrawn') return null;
  const at = parseTime(closedAt ?? offMarketAt);
  const when = at === null ? '' : ` on ${dayWords(at)}`;
  const asked =
    status === 'CLOSED' && price !== null && closePrice !== null
      ? ` It was asked for ${moneyWords(price, currency)} last.`
      : '';
  const sentence =
    status === 'CLOSED'
      ? `This home was ${listingType === 'sale' ? 'sold' : 'let'}${when}.${asked}`
      : `This home is no longer offered${when === '' ? '' : ` since${when.slice(3)}`}. What follows is what its source said last, ${ageWords(parseTime(listing.fetchedAt) ?? now, now)}.`;
  const area = areas.at(-1);
  const current = property.currentListing;
  const isOfferedAgain =
    current !== null && current.id !== listing.id && listing.location?.precision !== 'approximate';
  return html`<section class="notice${kind === 'withdrawn' ? ' warning' : ''} home-ended"><span class="dot${kind === 'withdrawn' ? ' warning' : ''}" aria-hidden="true"></span><strong>${text}</strong><p>${sentence}</p><div class="buttons">${
    isOfferedAgain
      ? html`<a class="btn" href="${root}explore/listing/${current.id}">Its current listing</a>`
      : null
  }${
    area === undefined
      ? null
      : html`<a class="btn" href="${root}explore?for=${listingType}&amp;areaId=${area.id}">Homes in ${oneLine(area.name, 40)}</a>`
  }</div></section>`;
}
