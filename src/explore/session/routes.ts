// Routes of sign-in: the endpoint of sessions, and its two pages.

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { pageReply } from '../../page/form-page.ts';
import { FORM_STYLE } from '../../page/form-style.ts';
import type { Assets } from '../assets/assets.ts';
import { assetPolicy } from '../assets/policy.ts';
import { type SessionOptions, sessionRoute } from './session-endpoint.ts';
import { renderCallback, renderSignIn } from './sign-in-pages.ts';
import { watchedTarget } from './watched-search.ts';
import { renderWatching } from './watching-page.ts';

export interface SessionPageOptions extends SessionOptions {
  readonly assets: Pick<Assets, 'url'>;
}

export function sessionRoutes(options: SessionPageOptions): readonly Route<Principal>[] {
  const pages = [
    {
      path: '/explore/sign-in',
      operation: 'exploreSignIn',
      summary: 'What signing in gives',
      entry: 'account',
      render: renderSignIn,
    },
    {
      path: '/explore/callback',
      operation: 'exploreCallback',
      summary: 'Take a code after consent',
      entry: 'account',
      render: renderCallback,
    },
    {
      path: '/explore/watching',
      operation: 'exploreWatching',
      summary: 'What a signed-in person watches',
      entry: 'watching',
      render: renderWatching,
    },
  ] as const;
  return [
    sessionRoute(options),
    route<Principal>()({
      method: 'GET',
      path: '/explore/watching/target',
      operation: 'getWatchTarget',
      summary: 'Get the target of a watcher of a search',
      page: true,
      tag: 'Service',
      access: { credentials: 'optional', scope: 'listings:read', counts: 'views' },
      ownQuery: true,
      query: Type.Object({}),
      answer: { description: 'A target, as POST /v1/watchers takes it' },
      handle: async ({ url }) => ({
        json: watchedTarget(new URLSearchParams(url.split('?')[1] ?? '')),
        headers: { 'x-robots-tag': 'noindex' },
      }),
    }),
    ...pages.map(({ render, entry, ...page }) =>
      route<Principal>()({
        ...page,
        method: 'GET',
        page: true,
        tag: 'Site',
        access: { credentials: 'none', counts: 'nothing' },
        // The query holds a code: it is the script's, and no log has it.
        ownQuery: true,
        anyAccept: true,
        accepts: ['text/html'],
        answer: { description: 'A page.' },
        handle: ({ url }) =>
          scripted(render([`../${options.assets.url(entry)}`], new URLSearchParams(url.split('?')[1] ?? ''))),
      }),
    ),
  ];
}

/** A page with script. */
function scripted(text: string) {
  const { headers, ...reply } = pageReply(200, text);
  const policy = assetPolicy({ styles: [FORM_STYLE] });
  // No request of these pages says where it comes from: their address may hold a code.
  return {
    ...reply,
    headers: { ...headers, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
  };
}
