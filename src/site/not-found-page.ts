// Page for browsers at an unknown address.

import type { Reply } from '../http/output/reply.ts';
import { html } from '../page/html.ts';
import { pageReply, renderPage } from './layout.ts';

/** Creates the renderer. Links begin at the root of PUBLIC_URL, as the address may be at any depth. */
export function notFoundPage(publicUrl: string) {
  const root = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/`;
  return ({ detail, requestId }: { readonly detail: string; readonly requestId: string }): Reply =>
    pageReply(
      renderPage({
        name: null,
        root,
        title: 'Page not found',
        summary: detail,
        content: html`<section><h2>Where to go</h2><ul>
<li><a href="${root}">The home page</a> shows what this service is, and its status.</li>
<li><a href="${root}docs">The reference</a> lists every endpoint.</li></ul>
<p>Request <code>${requestId}</code>. Programs get this as a problem document: see <a
href="${root}docs/errors#NOT_FOUND">NOT_FOUND</a>.</p></section>`,
      }),
    );
}
