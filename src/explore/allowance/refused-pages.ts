// Pages in place of one of the explorer: why it is not shown, and what leads on. Their script opens it as soon as it may be seen.

import { Type } from 'typebox';
import type { ErrorForm } from '../../http/frame/route.ts';
import { siteFooter } from '../../page/footer.ts';
import { rootFrom, type Section, siteHeader } from '../../page/header.ts';
import { type Fragment, type Html, html } from '../../page/html.ts';
import { icon } from '../../page/icons.ts';
import { renderLayout } from '../../page/layout.ts';
import { FAVICON } from '../../page/mark.ts';
import { PARTS_STYLE } from '../../page/parts-style.ts';
import { FRAME_STYLE, sheet } from '../../page/style.ts';
import type { PageScript } from '../assets/assets.ts';
import { assetPolicy } from '../assets/policy.ts';
import { scriptTags } from '../assets/script-tags.ts';

export interface RefusedPageOptions {
  /** The entry `refused`. */
  readonly script: () => PageScript;
  readonly section: Section;
  /** Stylesheet of the page behind it, which takes its place without another document. */
  readonly style: string;
  /** Origin that may show the page in a frame; null: none. */
  readonly embedder: string | null;
  /** Headings by status, where they say more than the title of the problem. */
  readonly titles: Readonly<Record<number, string>>;
  /** Whether a page of the explorer's root shows only the content, and says by itself what passes by itself. */
  readonly isSheet?: (url: string) => boolean;
}

const STYLE = `${FRAME_STYLE}${PARTS_STYLE}${sheet(`
.refused{max-width:640px;margin:48px auto 96px}
.refused h1{margin:0;font:400 var(--large)/1.3 var(--serif)}
.refused .middle{padding:40px 24px}
.refused .middle p{max-width:52ch}
.refused .middle svg{width:24px;height:24px;color:var(--quiet)}
`)}`;

/** Seconds until a page is tried again that does not say when. */
const RETRY = 3;

/** The problems of a page as pages: locked, limited, not there at the moment, or with a parameter that cannot be read. */
export function refusedPages(options: RefusedPageOptions): ErrorForm {
  return {
    write({ problem, requestId, url, headers }) {
      const { status, title, message, code } = problem;
      const isSheet = options.isSheet?.(url) === true;
      if (isSheet && status >= 500) return null;
      const root = isSheet ? '' : rootFrom(url);
      const heading = options.titles[status] ?? title;
      const isLocked = status === 401 || status === 403;
      const isPassing = status === 429 || status >= 500;
      const retry = isPassing && code !== 'QUOTA_EXCEEDED' ? (headers['retry-after'] ?? String(RETRY)) : null;
      const content = html`<div class="panel refused"><div class="middle">${isLocked ? icon('lock') : null}<h1>${heading}</h1><p>${message}</p>${buttons(
        root,
        isLocked || code === 'QUOTA_EXCEEDED',
        isPassing,
      )}<p class="small" role="status" data-retry="${retry ?? ''}"></p></div><footer><span>Request <code>${requestId}</code></span><span>For programs: <a href="${root}docs/errors#${code}">${code}</a></span></footer></div>`;
      return {
        status,
        text: isSheet ? content.text : renderRefused(heading, content, root, options),
        headers: {
          ...headers,
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'content-security-policy': assetPolicy({
            styles: [STYLE, options.style],
            pictures: ['https:'],
            embedder: options.embedder,
          }),
          'cross-origin-resource-policy': 'same-origin',
        },
      };
    },
    answers: {
      400: 'A parameter is not valid; the page names it.',
      401: 'Only for people who have signed in; the page leads there.',
      403: 'Only for subscribers; the page leads to the plans.',
      429: 'The page says when to go on.',
      503: 'Try again in a few seconds.',
    },
    content: { 'text/html': Type.String() },
  };
}

/** What leads on, the first choice last. */
function buttons(root: string, needsSignIn: boolean, isPassing: boolean): Fragment {
  const links = needsSignIn
    ? html`<a class="btn" href="${root}billing">Compare plans</a><a class="btn primary" href="${root}explore/sign-in">Sign in</a>`
    : isPassing
      ? html`<a class="btn primary" href="">Try now</a>`
      : html`<a class="btn primary" href="${root}explore">To the map</a>`;
  return html`<div class="buttons">${links}</div>`;
}

function renderRefused(
  title: string,
  content: Html,
  root: string,
  { script, section }: RefusedPageOptions,
): string {
  return renderLayout({
    title,
    style: STYLE,
    head: html`<meta name="robots" content="noindex"><link rel="icon" type="image/svg+xml" href="${FAVICON}">${scriptTags(root, script())}`,
    header: siteHeader({ root, current: section }),
    content,
    footer: siteFooter({ root }),
  });
}
