// Routes of the market page, and of its figures as CSV.

import type { Principal } from '../../access/tiers/tiers.ts';
import type { Area } from '../../areas/area.ts';
import type { Outlines } from '../../areas/outlines/outlines.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { conditional, strongEtag } from '../../http/output/etag.ts';
import type { Headers, Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { FindNewest } from '../../listings/provenance/confirmation-store.ts';
import type { MarketAnswers } from '../../market/answers.ts';
import { withSiteColours } from '../../page/style.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { ExplorerAccess } from '../allowance/allowance.ts';
import { refusedPages } from '../allowance/refused-pages.ts';
import type { Assets } from '../assets/assets.ts';
import { assetPolicy } from '../assets/policy.ts';
import { apiRequests } from './api-requests.ts';
import { areasCsv, chartMetrics, distributionCsv, seriesCsv } from './figures-csv.ts';
import {
  type MarketFrame,
  renderMarketPage,
  renderNoPlace,
  renderPlaces,
  renderUnfinished,
} from './market-page.ts';
import { MARKET_STYLE } from './market-style.ts';
import { seriesMetrics } from './metric-choice.ts';
import { ROOT } from './page-parts.ts';
import {
  FiguresQuery,
  type FigureTable,
  MarketPageQuery,
  type MarketView,
  readMarketView,
  writeMarketView,
} from './page-query.ts';
import { findAreaByName, readArea, readAreaSet } from './read-areas.ts';
import {
  type Currencies,
  readCurrencies,
  readDistribution,
  readFigures,
  readSeries,
  withoutEmptyStart,
} from './read-figures.ts';
import { readMap } from './read-map.ts';
import { compareAll, comparedAreas, readTable } from './read-table.ts';

export interface MarketPageOptions {
  readonly answers: MarketAnswers;
  readonly database: Database;
  readonly assets: Assets;
  readonly outlines: Outlines;
  /** Who may look, and how often. */
  readonly explorer: Pick<ExplorerAccess, 'admit' | 'embedder'>;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** When a source last confirmed its listings, RFC 3339. */
  readonly dataAsOf: FindNewest;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'This link has a part that cannot be read',
  401: 'Sign in to see the market',
  403: 'The market is for subscribers',
  429: 'Too many pages in a short time',
  503: 'The figures are not there at the moment',
};

const common = {
  method: 'GET',
  page: true,
  tag: 'Service',
  access: { credentials: 'optional', scope: 'listings:read', counts: 'nothing' },
} as const;

export function marketPageRoutes(options: MarketPageOptions): readonly Route<Principal>[] {
  return [pageRoute(options), csvRoute(options)];
}

function pageRoute(options: MarketPageOptions): Route<Principal> {
  const { answers, database, publicUrl, assets, explorer, outlines } = options;
  const { embedder } = explorer;

  /** An area by its id, or where there is none by its name, of which there may be several. */
  const find = async (text: string, { reach }: Principal): Promise<Area | Area[] | null> =>
    (await readArea(database, text)) ?? findAreaByName(database, text, reach);

  return route<Principal>()({
    ...common,
    path: '/explore/market',
    operation: 'showMarket',
    summary: 'The market as charts: prices by month, new and sold, days on market, areas compared',
    query: MarketPageQuery,
    accepts: ['text/html'],
    answer: { description: 'The page.', contentType: 'text/html' },
    alsoAnswers: {
      303: 'Leads to the page of the area that was looked for.',
      304: 'The content still matches If-None-Match.',
      404: 'There is no such area.',
    },
    errors: refusedPages({
      script: () => assets.script('refused'),
      section: 'market',
      style: MARKET_STYLE,
      embedder,
      titles: TITLES,
    }),
    async handle({ query, caller, signal, headers }): Promise<Reply> {
      await explorer.admit(caller, 'views');
      const view = readMarketView(query);
      const frame = await readFrame(options, caller);
      if (query.find !== undefined && query.find.trim() !== '') {
        const found = await findAreaByName(database, query.find, caller.reach);
        if (found === null) return noPlace(`No place is called “${query.find}”`, query.find, frame);
        const leadTo = ({ id }: Area): MarketView => ({ ...view, areaId: id, withId: null, within: null });
        return Array.isArray(found) ? choice(query.find, found, leadTo, frame) : seeOther(leadTo(found));
      }
      const area = view.areaId === null ? null : await readArea(database, view.areaId);
      if (view.areaId !== null && area === null) return noPlace('There is no such area', '', frame);
      const second = view.withId === null ? null : await find(view.withId, caller);
      if (view.withId !== null && second === null)
        return noPlace(`No place is called “${view.withId}”`, view.withId, frame);
      if (Array.isArray(second)) {
        const others = second.filter(({ id }) => id !== area?.id);
        return choice(view.withId ?? '', others, ({ id }) => ({ ...view, withId: id }), frame);
      }
      // One address for one view: ids, not names.
      if (second !== null && second.id !== view.withId) return seeOther({ ...view, withId: second.id });
      const reader = { account: caller.account, reach: caller.reach, signal };
      const set = await readAreaSet(database, area, view.within, caller.reach);
      const shown = set === null ? [] : comparedAreas(view, set);
      const found = await unlessUnfinished(
        inOneCurrency(answers, view, reader).then(({ currencies, view: priced }) =>
          Promise.all([
            readFigures(answers, priced, second, reader),
            set === null ? null : readTable(answers, priced, set, reader),
            set === null || shown.length === 0 ? null : readMap(outlines, set, shown),
            currencies,
            apiRequests(priced, seriesMetrics(view.listingType)),
          ]),
        ),
      );
      if (found instanceof Problem) {
        const text = renderUnfinished({ view, area }, frame);
        return {
          text,
          headers: { ...headersOf(frame), 'cache-control': 'no-store', refresh: RELOADED_AFTER },
        };
      }
      const [figures, table, map, currencies, requests] = found;
      const [series, other] = withoutEmptyStart(figures.series, figures.second);
      const page = { view, area, second, table, set, map, currencies, requests, publicUrl };
      const text = renderMarketPage({ ...page, figures: { ...figures, series, second: other } }, frame);
      return conditional(headers, strongEtag(text), { text, headers: headersOf(frame) });
    },
  });
}

/** A view whose figures are all in one currency, where there are several to choose from. */
async function inOneCurrency(
  answers: MarketAnswers,
  view: MarketView,
  reader: Parameters<typeof readCurrencies>[2],
): Promise<{ readonly currencies: Currencies; readonly view: MarketView }> {
  const currencies = await readCurrencies(answers, view, reader);
  return { currencies, view: { ...view, currency: currencies.current } };
}

/** Seconds until a page whose figures were not ready is loaded again. */
const RELOADED_AFTER = '2';

/**
 * What was read; or why it takes longer than this service lets a request take. What was computed until then is kept, so that
 * it is there after some more requests.
 */
const unlessUnfinished = <T>(read: Promise<T>): Promise<T | Problem> =>
  read.catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'OVERLOADED') return error;
    throw error;
  });

function csvRoute({ answers, database, explorer }: MarketPageOptions): Route<Principal> {
  return route<Principal>()({
    ...common,
    path: '/explore/market/figures.csv',
    operation: 'getMarketFigures',
    summary: 'The figures of one chart of the market page as CSV',
    query: FiguresQuery,
    accepts: ['text/csv'],
    anyAccept: true,
    answer: { description: 'The figures.', contentType: 'text/csv' },
    alsoAnswers: { 404: 'There is no such area.' },
    async handle({ query, caller, signal }): Promise<Reply> {
      await explorer.admit(caller, 'views');
      const view = readMarketView(query);
      const reader = { account: caller.account, reach: caller.reach, signal };
      for (const id of [view.areaId, view.withId])
        if (id !== null && (await readArea(database, id)) === null)
          throw new Problem('AREA_NOT_FOUND', `There is no area with the id "${id}".`);
      const priced = await inOneCurrency(answers, view, reader);
      const text = await csvOf(query.table, priced.view, reader);
      const headers = {
        'content-type': 'text/csv; charset=utf-8',
        'cache-control': caller.kind === 'anonymous' ? 'no-cache' : 'private, no-cache',
        'content-disposition': `attachment; filename="market-${query.table}.csv"`,
      };
      return { text, headers };
    },
  });

  async function csvOf(
    table: FigureTable,
    view: MarketView,
    reader: Parameters<typeof readSeries>[2],
  ): Promise<string> {
    const { listingType, areaId, withId, months, currency } = view;
    if (table === 'distribution') return distributionCsv(await readDistribution(answers, view, reader));
    if (table === 'areas') {
      const area = areaId === null ? null : await readArea(database, areaId);
      const set = await readAreaSet(database, area, view.within, reader.reach);
      return areasCsv(await compareAll(answers, view, set?.areas ?? [], reader), view);
    }
    const metrics = chartMetrics(view, table);
    const read = (id: string | null) =>
      readSeries(answers, { listingType, areaId: id, months, currency, metrics }, reader);
    const [series, second] = await Promise.all([read(areaId), withId === null ? null : read(withId)]);
    return seriesCsv({ series, second }, metrics, withId);
  }
}

interface Frame extends MarketFrame {
  readonly embedder: string | null;
}

async function readFrame(
  { clock, dataAsOf, assets, explorer }: MarketPageOptions,
  { kind, reach }: Principal,
): Promise<Frame> {
  const { src } = assets.script('market');
  return {
    confirmedAt: await dataAsOf(reach),
    now: clock.now(),
    scripts: [`${ROOT}${src}`],
    // What is shown to people who signed in is theirs: nobody else keeps it or lists it.
    isPublic: kind === 'anonymous',
    embedder: explorer.embedder,
  };
}

function headersOf({ isPublic, embedder }: Pick<Frame, 'isPublic' | 'embedder'>): Headers {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': isPublic ? 'no-cache' : 'private, no-cache',
    'content-security-policy': assetPolicy({ styles: [withSiteColours(MARKET_STYLE)], embedder }),
    'cross-origin-resource-policy': 'same-origin',
  };
}

function noPlace(title: string, query: string, frame: Frame): Reply {
  const detail = 'Look for another name, or begin with the whole market.';
  return { status: 404, text: renderNoPlace({ title, detail, query }, frame), headers: headersOf(frame) };
}

/** Places of one name, each with the view that it leads to. */
function choice(
  name: string,
  areas: readonly Area[],
  viewOf: (area: Area) => MarketView,
  frame: Frame,
): Reply {
  const places = areas.map((area) => ({ area, view: viewOf(area) }));
  return { text: renderPlaces(name, places, frame), headers: headersOf(frame) };
}

/** `location` is relative, so that it also works below a path. */
function seeOther(view: MarketView): Reply {
  return {
    status: 303,
    headers: { location: `market${writeMarketView(view)}`, 'cache-control': 'no-cache' },
  };
}
