// Route of one home: its page, or its content alone as a sheet over the map.

import { type Static, Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import { conditional, strongEtag } from '../../http/output/etag.ts';
import type { Reply } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { unitsParameter } from '../../listings/common-parameters.ts';
import { Html, html } from '../../page/html.ts';
import { withSiteColours } from '../../page/style.ts';
import type { ExplorerAccess } from '../allowance/allowance.ts';
import type { PageScript } from '../assets/assets.ts';
import { assetPolicy } from '../assets/policy.ts';
import {
  homeContent,
  homePhotos,
  PAGE_ROOT,
  PAGE_STYLE,
  renderHomePage,
  SHEET_ROOT,
  SHEET_STYLE,
} from './home-page.ts';
import { renderLockedPage } from './locked-page.ts';
import { renderMissingPage } from './missing-page.ts';
import { photoOrigins } from './photos.ts';
import { type HomeReads, readHome } from './read-home.ts';

export interface HomeRouteOptions extends HomeReads {
  /** The module of the page. */
  readonly script: () => PageScript;
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
  try {
    await options.explorer.admit(caller, 'homes');
  } catch (error) {
    // Scripts show the problem by themselves.
    if (query.sheet === '1' || !(error instanceof Problem) || error.status >= 500) throw error;
    const locked = htmlReply(renderLockedPage(error, requestId), []);
    const { 'retry-after': wait } = error.headers;
    const own = { ...locked.headers, 'cache-control': 'no-store', ...(wait && { 'retry-after': wait }) };
    return { ...locked, status: error.status, headers: own };
  }
  const home = await readHome(options, { id: params.id, units: query.units ?? 'imperial', signal });
  if (home === null || home === 'deleted') {
    const isGone = home === 'deleted';
    return { ...htmlReply(renderMissingPage({ isGone, requestId }), []), status: isGone ? 410 : 404 };
  }
  // What is shown to people who signed in is theirs: nobody else keeps it or lists it.
  const isPublic = caller.kind === 'anonymous';
  const isSheet = query.sheet === '1';
  const placement = { root: isSheet ? SHEET_ROOT : PAGE_ROOT, publicUrl: options.publicUrl };
  const photos = homePhotos(home, placement);
  const text = isSheet
    ? renderSheet(homeContent(home, photos, placement))
    : renderHomePage(home, { publicUrl: options.publicUrl, script: options.script(), isPublic });
  const { embedder } = options.explorer;
  const reply = htmlReply(text, photoOrigins(photos), {
    embedder,
    isPublic,
    ...(isSheet && { style: SHEET_STYLE }),
  });
  return conditional(headers, strongEtag(text), reply);
}

/** The content with its styles, which the page that shows it adopts: they stand once in each answer, and in no page of the map. */
function renderSheet(content: Html): string {
  return html`<style>${new Html(SHEET_STYLE)}</style>${content}`.text;
}

interface HtmlOptions {
  readonly style?: string;
  readonly embedder?: string | null;
  readonly isPublic?: boolean;
}

function htmlReply(
  text: string,
  origins: readonly string[],
  { style, embedder = null, isPublic = true }: HtmlOptions = {},
) {
  const styles = [style ?? withSiteColours(PAGE_STYLE)];
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
