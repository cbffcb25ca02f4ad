// Answer of the explorer: the page with its head and policy, its notices, and the requests that give the same.

import type { Tiers } from '../access/tiers/tiers.ts';
import type { Outlines } from '../areas/outlines/outlines.ts';
import type { Reply } from '../http/output/reply.ts';
import type { Problem } from '../lib/problem.ts';
import { siteHeader } from '../page/header.ts';
import { type Html, html } from '../page/html.ts';
import { renderLayout } from '../page/layout.ts';
import { MAP_STYLE } from '../page/map/map-style.ts';
import { FAVICON } from '../page/mark.ts';
import { PARTS_STYLE } from '../page/parts-style.ts';
import { site } from '../page/site.ts';
import { FRAME_STYLE } from '../page/style.ts';
import type { ExplorerAccess } from './allowance/allowance.ts';
import type { Assets } from './assets/assets.ts';
import { assetPolicy } from './assets/policy.ts';
import { scriptTags } from './assets/script-tags.ts';
import type { Basemap } from './basemap/archive.ts';
import { exploreContent } from './page.ts';
import { EXPLORE_STYLE } from './page-style.ts';
import { type ApiPanel, apiPanelOf } from './parts/api-panel.ts';
import { activeFilters, type FilterContext, isOfSold } from './parts/filters.ts';
import {
  currencyNotice,
  type FirstLoad,
  type LockedPanel,
  loadingNotice,
  type Notice,
  namedCurrency,
} from './parts/notices.ts';
import { viewTitle } from './parts/title.ts';
import { countWords } from './parts/words.ts';
import type { CountedChange, FilterCounts } from './view/filter-counts.ts';
import { carried, changed, linkTo, type Parameters } from './view/parameters.ts';
import { apiRequests, type ExploreState, parametersOf } from './view/state.ts';
import type { View, ViewParts } from './view/view.ts';

export interface ExploreOptions extends ViewParts {
  /** Who may look, and how often. */
  readonly explorer: ExplorerAccess;
  readonly outlines: Outlines;
  readonly assets: Pick<Assets, 'script'>;
  /** The operator's map; null: there is none. */
  readonly basemap: Pick<Basemap, 'facts'> | null;
  readonly tiers: Tiers;
  /** Progress of a source's first load; null if none is under way. */
  readonly findLoading: () => Promise<FirstLoad | null>;
}

export interface ExploreAnswer {
  readonly options: ExploreOptions;
  readonly state: ExploreState;
  /** Prefix of links to the root of the service. */
  readonly root: string;
  readonly search: string;
  /** Whether the reader has not signed in: search engines may list the page. */
  readonly isPublic: boolean;
  readonly loading: FirstLoad | null;
  /** Null: the store cannot be read, or the query is wrong. */
  readonly view: View | null;
  /** The view as SVG, or where it is locked the areas alone; null where they cannot be read. */
  readonly map: Html | null;
  readonly counts: FilterCounts;
  readonly ways: readonly CountedChange[];
  /** What is wrong with the query. */
  readonly problem: Problem | null;
}

/** The whole stylesheet; the content security policy allows it by its hash. */
export const PAGE_STYLE = FRAME_STYLE + MAP_STYLE + PARTS_STYLE + EXPLORE_STYLE;

/** What the words of filters depend on. */
export function filterContext({ kind }: ExploreState, view: View | null): FilterContext {
  return {
    kind,
    currency: view?.currency ?? null,
    areas: new Map(view?.areas.map(({ id, name }) => [id, name])),
  };
}

export function renderExplore(answer: ExploreAnswer): Reply {
  const { options, state, root, view, problem, loading } = answer;
  const parameters = parametersOf(state);
  const context = filterContext(state, view);
  const filters = activeFilters(parameters, context);
  const places = [...context.areas.values()];
  const title =
    problem === null ? viewTitle({ parameters, kind: state.kind, places, filters }) : problem.title;
  const now = options.clock.now();
  const locked = lockedOf(answer);
  const content = exploreContent({
    root,
    now,
    bar: {
      ...context,
      parameters,
      counts: answer.counts,
      median: view?.medianPrice ?? null,
      api: apiPanel(answer),
      search: answer.search,
    },
    view,
    map: answer.map,
    basemap: options.basemap?.facts ?? null,
    notices: noticesOf(answer),
    locked,
    ways: answer.ways,
    isSold: isOfSold(parameters),
    foot: sideFoot(view),
  });
  const text = renderLayout({
    title,
    style: PAGE_STYLE,
    head: html`${headOf(answer, parameters, title, filters.length)}${scriptTags(root, options.assets.script(locked === null ? 'map' : 'refused'))}`,
    kind: 'explore',
    canonical: `${options.publicUrl}/${linkTo(changed(parameters, { bbox: null, zoom: null, sort: null }))}`,
    header: siteHeader({
      root,
      current: 'explore',
      fill: true,
      search: {
        place: places.length === 0 ? null : places.join(', '),
        query: '',
        leave: linkTo(parameters, { areaId: null }),
        keep: carried(parameters, ['find']),
      },
      freshness: view === null || view.sources.length === 0 ? null : { confirmedAt: newestOf(view), now },
    }),
    content,
  });
  return {
    status: problem?.status ?? (view === null ? 503 : 200),
    text,
    headers: {
      ...(view === null && problem === null && { 'retry-after': '3' }),
      ...problem?.headers,
      'content-type': 'text/html; charset=utf-8',
      'cache-control':
        loading !== null || view === null ? 'no-store' : answer.isPublic ? 'no-cache' : 'private, no-cache',
      'content-security-policy': assetPolicy({
        styles: [PAGE_STYLE],
        pictures: ['https:'],
        embedder: options.explorer.embedder,
        // The sheet of a home has the address of its page, and links of the map stay as they were.
        hasOwnBase: true,
      }),
      'cross-origin-resource-policy': 'same-origin',
    },
  };
}

/** Views that people narrow, move or page are for them alone: search engines get each place once. */
function headOf(
  { view, isPublic }: ExploreAnswer,
  parameters: Parameters,
  title: string,
  filters: number,
): Html {
  const moved = ['bbox', 'zoom', 'sort', 'cursor', 'status'].some((name) => parameters.has(name));
  const isIndexed = isPublic && view !== null && view.total > 0 && filters === 0 && !moved;
  const count =
    view === null
      ? ''
      : `: ${countWords(view.total)} ${view.total === 1 ? 'home' : 'homes'} on a map and in a list`;
  return html`<meta name="description" content="${title}${count}."><link rel="icon" type="image/svg+xml" href="${FAVICON}">${
    isIndexed ? null : html`<meta name="robots" content="noindex,follow">`
  }`;
}

/** When a source of the view last sent data, RFC 3339; null: none has. */
function newestOf({ sources }: View): string | null {
  const times = sources.flatMap(({ confirmedAt }) => (confirmedAt === null ? [] : [confirmedAt])).sort();
  return times.at(-1) ?? null;
}

/** Whether the page is kept from the reader until they sign in. */
export const isLocked = ({ status }: Problem): boolean => status === 401 || status === 403;

/** What is needed to look, and how to get it. */
function lockedOf({ problem, root }: ExploreAnswer): LockedPanel | null {
  if (problem === null || !isLocked(problem)) return null;
  return {
    title: problem.status === 401 ? 'Sign in to see the homes' : 'This needs another plan',
    text: problem.message,
    links: [
      { label: 'Compare plans', href: `${root}billing` },
      { label: 'Sign in', href: `${root}explore/sign-in` },
    ],
  };
}

function noticesOf({ view, problem, loading, state, root }: ExploreAnswer): readonly Notice[] {
  const again = linkTo(parametersOf(state));
  if (problem !== null && isLocked(problem)) return [];
  if (problem?.status === 429)
    return [
      {
        kind: 'warning',
        title: problem.title,
        text: problem.message,
        action: { label: 'Try now', href: again },
      },
    ];
  if (problem !== null)
    return [
      {
        kind: 'error',
        title: problem.title,
        text: problem.message,
        action: { label: 'Start again', href: linkTo(new Map()) },
      },
    ];
  const down: readonly Notice[] =
    view !== null
      ? []
      : [
          {
            kind: 'warning',
            title: 'Not ready: the database does not answer at the moment',
            text: `No home can be shown until it does. ${root}readyz?verbose says more.`,
            action: { label: 'Try now', href: again },
          },
        ];
  const money = view === null ? null : currencyNotice(view, parametersOf(state));
  return [...(loading === null ? [] : [loadingNotice(loading)]), ...(money === null ? [] : [money]), ...down];
}

function apiPanel({ options, state, view, root }: ExploreAnswer): ApiPanel {
  const { publicUrl, tiers } = options;
  const requests = apiRequests(state, publicUrl, {
    bbox: (view?.box ?? [-180, -85, 180, 85]).join(','),
    zoom: view?.zoom ?? 1,
    currency: view === null ? null : namedCurrency(view),
  });
  const { minute, month } = tiers.anonymous;
  const limits = [
    minute === null ? null : `${countWords(minute)} a minute`,
    month === null ? null : `${countWords(month)} a month`,
  ].filter((limit) => limit !== null);
  const cost =
    limits.length === 0
      ? 'Requests are not limited.'
      : `Each counts as one request: ${limits.join(' and ')} without a key.`;
  return apiPanelOf(requests, state.kind, { cost, root });
}

/** Whose homes these are, and what the operator has to say on every page. */
function sideFoot(view: View | null): Html {
  const { legal, notice } = site();
  const lines = (view?.sources ?? []).map(
    ({ attribution, logoUrl }) =>
      html`<p>${
        logoUrl === null
          ? null
          : html`<img class="mark" src="${logoUrl}" alt="" height="14" loading="lazy" referrerpolicy="no-referrer"> `
      }Listings: ${attribution}</p>`,
  );
  const links = legal.map(({ name, href }) => html`<a href="${href}">${name}</a> `);
  return html`<div class="side-foot">${lines}${
    notice === null ? null : html`<p>${notice}</p>`
  }${links.length === 0 ? null : html`<p>${links}</p>`}</div>`;
}
