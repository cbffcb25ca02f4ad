// Route of one home: its page, or its content alone as a sheet over the map.

import { type Static, Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import { conditional, strongEtag } from '../../http/output/etag.ts';
import type { Reply } from '../../http/output/reply.ts';
import { unitsParameter } from '../../listings/common-parameters.ts';
import type { Html } from '../../page/html.ts';
import type { ExplorerAccess } from '../allowance/allowance.ts';
import { refusedPages } from '../allowance/refused-pages.ts';
import type { PageScript } from '../assets/assets.ts';
import { assetPolicy } from '../assets/policy.ts';
import { homeContent, homePhotos, PAGE_ROOT, PAGE_STYLE, renderHomePage, SHEET_ROOT } from './home-page.ts';
import { missingContent, renderMissingPage } from './missing-page.ts';
import { photoOrigins } from './photos.ts';
import { type HomeReads, readHome } from './read-home.ts';

export interface HomeRouteOptions extends HomeReads {
  /** The module of the page. */
  readonly script: () => PageScript;
  /** That of a page in its place. */
  readonly refusedScript: () => PageScript;
  /** Who may look, and how often. */
  readonly explorer: Pick<ExplorerAccess, 'admit' | 'embedder'>;
}

const Params = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200, description: 'The id of a listing, or of a property.' }),
});

const Query = Type.Object({
  units: unitsParameter,
  sheet: Type.Optional(
    Type.Unsafe<'1'>({
      type: 'string',
      enum: ['1'],
      description: 'Only the content, for a page that shows it itself.',
    }),
  ),
});

type Call = RequestContext<Principal, Static<typeof Query>, Static<typeof Params>, unknown>;

/** Headings of pages in place of a home, by status. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'This link has a part that cannot be read',
  401: 'Sign in to see this home',
  403: 'Homes are for subscribers',
  503: 'This home cannot be shown at the moment',
};

/** GET /explore/listing/{id} */
export function homeRoutes(options: HomeRouteOptions): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      method: 'GET',
      path: '/explore/listing/:id',
      operation: 'showListing',
      page: true,
      tag: 'Service',
      summary: 'One home: photos, facts, price history, comparables, estimate and market',
      access: { credentials: 'optional', scope: 'listings:read', counts: 'nothing' },
      accepts: ['text/html'],
      params: Params,
      query: Query,
      answer: { description: 'The page of the home.', contentType: 'text/html' },
      errors: refusedPages({
        script: options.refusedScript,
        section: 'explore',
        style: PAGE_STYLE,
        embedder: options.explorer.embedder,
        titles: REFUSALS,
        isSheet: (url) => new URLSearchParams(url.split('?')[1] ?? '').has('sheet'),
      }),
      alsoAnswers: {
        304: 'The content still matches If-None-Match.',
        410: 'Its source has removed the home.',
      },
      handle: (call) => showHome(call, options),
    }),
  ];
}

async function showHome(call: Call, options: HomeRouteOptions): Promise<Reply> {
  const { params, query, headers, requestId, signal, caller } = call;
  const isSheet = query.sheet === '1';
  await options.explorer.admit(caller, 'homes');
  const { embedder } = options.explorer;
  // What is shown to people who signed in is theirs: nobody else keeps it or lists it.
  const isPublic = caller.kind === 'anonymous';
  const { units = 'imperial' } = query;
  const home = await readHome(options, { id: params.id, units, reach: caller.reach, signal });
  if (home === null || home === 'deleted') {
    const isGone = home === 'deleted';
    const missing = { isGone, requestId };
    const reply = isSheet
      ? sheetReply(missingContent(missing, SHEET_ROOT))
      : htmlReply(renderMissingPage(missing), [], { embedder, isPublic });
    return { ...reply, status: isGone ? 410 : 404 };
  }
  for (const source of home.shown) call.usage.shows(source);
  const placement = { root: isSheet ? SHEET_ROOT : PAGE_ROOT, publicUrl: options.publicUrl };
  const photos = homePhotos(home, placement);
  const text = isSheet
    ? homeContent(home, photos, placement).text
    : renderHomePage(home, { publicUrl: options.publicUrl, script: options.script(), isPublic });
  const logos = home.logo === null ? [] : [new URL(home.logo).origin];
  const reply = htmlReply(text, [...new Set([...photoOrigins(photos), ...logos])], { embedder, isPublic });
  return conditional(headers, strongEtag(text), reply);
}

/** The content alone: the page that shows it has the styles. */
const sheetReply = (content: Html) => htmlReply(content.text, []);

interface HtmlOptions {
  readonly embedder?: string | null;
  readonly isPublic?: boolean;
}

function htmlReply(
  text: string,
  origins: readonly string[],
  { embedder = null, isPublic = true }: HtmlOptions = {},
) {
  const styles = [PAGE_STYLE];
  return {
    text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': isPublic ? 'no-cache' : 'private, no-cache',
      'content-security-policy': assetPolicy({ styles, pictures: origins, embedder }),
      'cross-origin-resource-policy': 'same-origin',
    },
  };
}
