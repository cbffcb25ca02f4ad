// Routes of sign-in: the endpoint of sessions, and its two pages.

import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { pageReply } from '../../page/form-page.ts';
import { type SessionOptions, sessionRoute } from './session-endpoint.ts';
import { renderCallback, renderSignIn } from './sign-in-pages.ts';

export function sessionRoutes(options: SessionOptions): readonly Route<Principal>[] {
  const pages = [
    {
      path: '/explore/sign-in',
      operation: 'exploreSignIn',
      summary: 'What signing in gives',
      render: renderSignIn,
    },
    {
      path: '/explore/callback',
      operation: 'exploreCallback',
      summary: 'Take a code after consent',
      render: renderCallback,
    },
  ];
  return [
    sessionRoute(options),
    ...pages.map(({ render, ...page }) =>
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
        handle: () => withoutReferrer(pageReply(200, render())),
      }),
    ),
  ];
}

/** No request of these pages says where it comes from: their address may hold a code. */
function withoutReferrer(reply: ReturnType<typeof pageReply>) {
  return { ...reply, headers: { ...reply.headers, 'referrer-policy': 'no-referrer' } };
}
