// Pages that ask for a key, and that list the watchers of its owner.

import { forgetForm, type KeyFault, keyField, titleWith } from '../../access/key-form/key-page.ts';
import { renderFormPage } from '../../page/form-page.ts';
import { type Html, html } from '../../page/html.ts';
import {
  code,
  factList,
  type Notice,
  noticeElement,
  stateElement,
  stepButton,
  stepsForm,
  titleOf,
  type WatcherView,
} from './elements.ts';

const TITLE = 'Your watchers';

/** Asks for a key. The form is posted to the address of the page, with `api_key`. */
export function renderKeyPage(fault: KeyFault | null): string {
  return renderFormPage({
    path: '/account/watchers',
    section: 'account',
    title: titleWith(fault, TITLE),
    content: html`<h1>${TITLE}</h1>
<p class="lead">See what your watchers notified you of and where it was sent. Pause, resume and test them.</p>
<form method="post" action="watchers">${keyField('It begins with SERVICE-. It is used to find your watchers and is not stored.', fault)}
<button class="btn primary">Show my watchers</button></form>
<p class="hint last">All keys of one customer share their watchers. Those of an app that you connected without a key are found in the app
itself.</p>`,
  });
}

export interface ListView {
  readonly watchers: readonly WatcherView[];
  /** Watchers that count against the plan, and how many it has; null: any number. */
  readonly used: number;
  readonly limit: number | null;
  readonly tierName: string;
  readonly page: {
    readonly cursor: string | null;
    readonly nextCursor: string | null;
    readonly prevCursor: string | null;
  };
  /** Replaces the key for a short time. */
  readonly proof: string;
  /** Whether the browser is asked to remember the key by a cookie. */
  readonly isRemembered: boolean;
  readonly notice: Notice | null;
  readonly publicUrl: string;
  /** Milliseconds. */
  readonly now: number;
}

export function renderListPage(view: ListView): string {
  const { watchers, page, proof, notice } = view;
  return renderFormPage({
    path: '/account/watchers',
    section: 'account',
    title: notice?.isFault ? `Not done: ${TITLE}` : TITLE,
    content: html`<div class="board"><h1>${TITLE}</h1>${noticeElement(notice)}
${stepsForm({ proof, cursor: page.cursor })}${watchers.length === 0 ? emptyState(view) : null}
${watchers.length === 0 ? null : html`<p class="lead">${usage(view)}</p>`}
<div class="cards">${watchers.map((watcher) => card(watcher, view.now))}</div>
<div class="choices">${pageButton(page.prevCursor, 'Newer watchers')}${pageButton(page.nextCursor, 'Older watchers')}</div>
${forgetForm(view.isRemembered ? '../account' : 'watchers', proof, view.isRemembered)}</div>`,
  });
}

function usage({ used, limit, tierName }: ListView): string {
  if (limit === null) return `${used.toLocaleString('en-US')} in use; the ${tierName} tier has no limit.`;
  const allowed = limit === 1 ? 'the 1 watcher' : `the ${limit.toLocaleString('en-US')} watchers`;
  return `${used.toLocaleString('en-US')} in use, of ${allowed} of the ${tierName} tier.`;
}

function pageButton(cursor: string | null, label: string): Html | null {
  return cursor === null ? null : stepButton({ name: 'cursor', value: cursor, label });
}

function card(view: WatcherView, now: number): Html {
  const { id, status } = view.watcher;
  const title = titleOf(view);
  const change = changeOf(status);
  const heading = `name-${id}`;
  return html`<article class="card" aria-labelledby="${heading}"><h2 id="${heading}"><bdi>${title}</bdi></h2>
${stateElement(view.watcher, now)}${factList(view, now)}
<div class="choices">${stepButton({ name: 'watcher', value: id, label: 'Events and deliveries', spoken: `Events and deliveries of ${title}` })}${
    change && stepButton({ ...change, value: id, spoken: `${change.label} ${title}` })
  }</div></article>`;
}

/** The step that changes whether a watcher sends anything; null for one that has ended. */
export function changeOf(status: WatcherView['watcher']['status']) {
  if (status === 'expired') return null;
  return status === 'active'
    ? ({ name: 'pause', label: 'Pause' } as const)
    : ({ name: 'resume', label: 'Resume' } as const);
}

function emptyState({ publicUrl }: ListView): Html {
  return html`<p class="lead">You have no watchers yet. A watcher notifies you when a listing, a home or the matches of a search change.</p>
<h2>Create your first</h2>
<p>Send one request with your key, then come back to this page:</p>
${code(
  `curl '${publicUrl}/v1/watchers' \\`,
  `  -H 'Authorization: Bearer SERVICE-…' \\`,
  `  -H 'Content-Type: application/json' \\`,
  `  -d '{"name": "Family homes", "target": {"type": "search",`,
  `       "listingType": "sale", "query": {"minBedrooms": 3}}}'`,
)}
<p>The <a href="../docs">reference</a> has every target, filter and event, under Watchers.</p>`;
}
