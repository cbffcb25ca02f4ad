// Beside one home: its live stream, who offers it, open houses, and the market of its area.

import { parseTime } from '../../lib/clock.ts';
import type { Listing } from '../../listings/record.ts';
import type { Trend } from '../../market/area-trend.ts';
import { sparkline } from '../../page/chart/sparkline.ts';
import { type Fragment, type Html, html, visibleText } from '../../page/html.ts';
import { moneyWords } from '../../page/words.ts';
import type { Home } from './read-home.ts';
import { momentWords, NOT_STATED, oneLine, unitWords } from './words.ts';

/** The panel of the stream. A script puts its button in and draws what comes; without one, the request beside it does the same. */
export function livePanel({ id, fetchedAt, listingType }: Listing, root: string, baseUrl: string): Html {
  return html`<section class="panel home-live" id="live" data-listing="${id}" data-root="${root}" data-type="${listingType}" aria-labelledby="live-title"><header><h2 id="live-title">Live from its source</h2></header>
<div class="live-body"><p>What you see was stored at <time datetime="${fetchedAt}">${fetchedAt.slice(11, 19)} UTC</time>. The stream asks the source of this home at this moment and shows what has changed since.</p>
<p class="no-script">Here it needs a script, which your browser does not run; the request below does the same.</p></div></section>
<section class="code-box" aria-label="This stream as a request"><header><span>This stream as a request</span></header><pre><code>curl -N -H "Authorization: Bearer $KEY" \\
  ${baseUrl}/v1/<wbr>listing/<wbr>${id}</code></pre></section>`;
}

export function brokerPanel({ listing, timeZone, now }: Home): Html | null {
  const houses = upcoming(listing, now);
  const person = brokerOf(listing);
  if (person === null && houses.length === 0) return null;
  return html`<section class="panel home-broker" aria-label="Who offers it">${person}${houses.slice(0, 3).map((house) => openHouse(house, timeZone))}</section>`;
}

function brokerOf({ agent, office }: Listing): Html | null {
  const [name, firm] = [agent?.name ?? null, office?.name ?? null];
  if (name === null && firm === null) return null;
  const first = oneLine(name ?? firm ?? '', 80);
  const phone = agent?.phone ?? office?.phone ?? null;
  const initials = first
    .split(' ')
    .map((word) => word.charAt(0))
    .join('')
    .slice(0, 2)
    .toUpperCase();
  const rest = [name === null ? null : firm && oneLine(firm, 80), phone && phoneLink(phone)].filter(
    (part) => part !== null && part !== '',
  );
  return html`<div class="entry"><span class="initials" aria-hidden="true">${initials}</span><p><strong>${first}</strong><span class="quiet">${rest.map(
    (part, at) => (at === 0 ? part : [' · ', part]),
  )}</span></p></div>`;
}

function phoneLink(phone: string): Fragment {
  const digits = phone.replace(/[^\d+]/g, '');
  return digits.length < 5 ? oneLine(phone, 40) : html`<a href="tel:${digits}">${oneLine(phone, 40)}</a>`;
}

interface OpenHouse {
  readonly from: number;
  readonly to: number | null;
  readonly type: string | null;
}

function upcoming({ openHouses }: Listing, now: number): readonly OpenHouse[] {
  return openHouses
    .map(({ startsAt, endsAt, type }) => ({ from: parseTime(startsAt) ?? 0, to: parseTime(endsAt), type }))
    .filter(({ from, to }) => (to ?? from) >= now)
    .sort((a, b) => a.from - b.from);
}

/** By the clocks of the place, whose zone is named: readers elsewhere have others. */
function openHouse({ from, to, type }: OpenHouse, timeZone: string): Html {
  const words = (format: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...format, timeZone });
  const clock = words({ hour: '2-digit', minute: '2-digit' });
  return html`<div class="entry"><time class="day" datetime="${new Date(from).toISOString()}"><b>${words({ month: 'short' }).format(from)}</b><span>${words({ day: 'numeric' }).format(from)}</span></time><p><strong>Open house</strong><span class="quiet">${words({ weekday: 'long' }).format(from)}, ${clock.format(from)}${
    to === null ? null : ` to ${clock.format(to)}`
  } ${zoneName(from, timeZone)}${type === null || /public/i.test(type) ? null : ` · ${oneLine(type, 30)}`}</span></p></div>`;
}

/** `CST`, `CDT`, `GMT+1`: American English alone has short names for American zones. */
function zoneName(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' });
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

export function areaPanel({ listing, market }: Home, root: string): Html | null {
  if (market === 'none') return null;
  if (market === null)
    return html`<section class="panel"><header><h2>The market around it</h2></header><p class="panel-text quiet">Its figures could not be read just now.</p></section>`;
  const { area, trend } = market;
  const { listingType } = listing;
  const currency = trend.currency ?? listing.currency;
  const rows: readonly (readonly [string, Trend, (value: number) => string])[] = [
    [
      listingType === 'sale' ? 'Median asking price' : 'Median rent a month',
      trend.medianPrice,
      (value) => moneyWords(Math.round(value), currency),
    ],
    ['On the market', trend.inventory, (value) => value.toLocaleString('en-US')],
    [
      'Per square foot',
      trend.medianPricePerArea,
      (value) => moneyWords(value < 20 ? Number(value.toFixed(2)) : Math.round(value), currency),
    ],
  ];
  return html`<section class="panel home-market" aria-labelledby="market-title"><header><h2 id="market-title">${oneLine(area.name, 60)}</h2><a href="${root}explore/market?areaId=${area.id}&amp;for=${listingType}">The whole market</a></header><dl>${rows.map(
    ([name, { now, months }, format]) =>
      html`<div><dt>${name}</dt><dd>${sparkline({ values: [...months, now], width: 96, height: 28 })}<b>${now === null ? 'Too few' : format(now)}</b></dd></div>`,
  )}</dl>${comparisonFooter(listing, trend.medianPricePerArea.now, currency)}</section>`;
}

function comparisonFooter(
  { pricePerArea, areaUnit, listingType, currency: own }: Listing,
  median: number | null,
  currency: string,
): Html | null {
  if (pricePerArea === null || !median || areaUnit !== 'sqft' || listingType !== 'sale' || own !== currency)
    return null;
  const difference = Math.round((pricePerArea / median - 1) * 100);
  const words =
    difference === 0
      ? 'as the median'
      : `${Math.abs(difference)} % ${difference > 0 ? 'above' : 'below'} the median`;
  return html`<footer>This home asks ${moneyWords(Math.round(pricePerArea), currency)} a ${unitWords(areaUnit).one}, ${words}.</footer>`;
}

/** Where a place on the map comes from that the source does not state. NOTICE says what GeoNames is owed. */
const PLACED_BY: Readonly<Record<string, string>> = {
  area: 'Its place on the map is the middle of an area that its address names.',
  gazetteer:
    'Its place on the map is the middle of its postal code or town, by GeoNames (geonames.org, CC BY 4.0).',
  geocoder: 'Its place on the map was found by its address.',
};

/** Whose data this is, and how old. */
export function sourceSection({ listing, logo, sourceName, now }: Home): Html {
  const { provider, office, upstreamModifiedAt, fetchedAt } = listing;
  const moment = (at: string | null): Fragment => {
    const time = parseTime(at);
    if (time === null) return NOT_STATED;
    return html`<time datetime="${new Date(time).toISOString()}">${momentWords(time, now)}</time>`;
  };
  const rows: readonly (readonly [string, Fragment])[] = [
    ['Listed by', oneLine(office?.name ?? provider.attribution ?? NOT_STATED, 100)],
    ['Source', oneLine(provider.name ?? provider.originatingSystem ?? sourceName ?? provider.id, 100)],
    ['Changed there', moment(upstreamModifiedAt)],
    ['Read by us', moment(fetchedAt)],
  ];
  const { attribution } = listing;
  const stated = [provider.copyright].filter((line) => line !== null && !attribution.includes(line));
  const place = PLACED_BY[listing.location?.source ?? 'provided'];
  const lines = place === undefined ? stated : [...stated, place];
  return html`<section class="home-section" aria-labelledby="source"><header><h2 id="source">Whose data this is</h2></header><div class="home-source"><dl>${rows.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl><p>${
    logo === null
      ? null
      : html`<img src="${logo}" alt="" height="24" loading="lazy" referrerpolicy="no-referrer"> `
  }${visibleText(attribution)}</p>${lines.map((line) => html`<p>${oneLine(line ?? '', 400)}</p>`)}</div></section>`;
}
