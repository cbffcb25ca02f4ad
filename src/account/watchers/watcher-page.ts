// Page of one watcher: its last events, its deliveries with their answers, and the steps that can be taken.

import { forgetForm } from '../../access/key-form/key-page.ts';
import { renderFormPage } from '../../page/form-page.ts';
import { type Fragment, type Html, html, shortened, visibleText } from '../../page/html.ts';
import { dateAndTime, dayAndTime } from '../../page/time.ts';
import { isPausedByOwner } from '../../watch/watcher.ts';
import {
  code,
  factList,
  type Notice,
  noticeElement,
  type Step,
  stateElement,
  stepButton,
  stepsForm,
  titleOf,
  type WatcherView,
} from './elements.ts';
import { eventTitle } from './event-words.ts';
import { changeOf } from './list-page.ts';

export interface EventView {
  readonly type: string;
  /** Milliseconds. */
  readonly at: number;
  /** The most informative first. */
  readonly facts: readonly string[];
}

/** What became of one event at one webhook. */
export interface DeliveryView {
  readonly id: string;
  readonly eventType: string;
  readonly host: string;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'parked';
  readonly attempt: number;
  readonly httpStatus: number | null;
  readonly latencyMs: number | null;
  /** The start of the answer; null: none, or one that is not shown. */
  readonly response: string | null;
  readonly error: string | null;
  /** Milliseconds. */
  readonly at: number;
  readonly nextAttemptAt: number | null;
}

export interface WatcherPageView extends WatcherView {
  /** The newest first. */
  readonly events: readonly EventView[];
  readonly deliveries: readonly DeliveryView[];
  readonly proof: string;
  /** Whether the browser is asked to remember the key by a cookie. */
  readonly isRemembered: boolean;
  readonly notice: Notice | null;
  readonly publicUrl: string;
  /** Milliseconds. */
  readonly now: number;
}

export function renderWatcherPage(view: WatcherPageView): string {
  const { watcher, proof, notice, now } = view;
  const title = titleOf(view);
  const more = html`<div><dt>Since</dt><dd>${dateAndTime(watcher.createdAt)}</dd></div>
<div><dt>Id</dt><dd><code class="long">${watcher.id}</code></dd></div>`;
  return renderFormPage({
    path: '/account/watchers',
    section: 'account',
    title: `${notice?.isFault ? 'Not done: ' : ''}${title}`,
    content: html`<div class="board">${stepsForm({ proof, watcher: watcher.id })}<div class="one"><div class="about"><form method="post" action="watchers"><input type="hidden" name="proof" value="${proof}">
<button class="btn bare">← All watchers</button></form>
<h1><bdi>${title}</bdi></h1>${noticeElement(notice)}${stateElement(watcher, now)}
<div class="choices">${steps(view).map(stepButton)}</div>${factList(view, now, more)}</div>
<div class="log"><section aria-labelledby="events"><h2 id="events">Last events</h2>${eventList(view)}</section>
<section aria-labelledby="deliveries"><h2 id="deliveries">Last deliveries</h2>${deliveryList(view)}</section></div></div>${forgetForm(view.isRemembered ? '../account' : 'watchers', proof, view.isRemembered)}</div>`,
  });
}

/** The steps for this state; the first is the one that most people want now. */
function steps({ watcher }: WatcherPageView): readonly Step[] {
  const { id, status, delivery } = watcher;
  const change = changeOf(status);
  if (change === null) return [];
  const isActive = status === 'active';
  const test: Step = { name: 'test', value: id, label: 'Send a test' };
  const retry: Step = { name: 'resume', value: id, label: 'Try webhooks again now' };
  const isStuck = isActive && delivery.some(({ status }) => status === 'failing' || status === 'disabled');
  return [
    ...(isActive ? [] : [{ ...change, value: id, isPrimary: true }]),
    ...(isStuck ? [{ ...retry, isPrimary: true }] : []),
    ...(delivery.length === 0 || isPausedByOwner(watcher)
      ? []
      : [{ ...test, isPrimary: isActive && !isStuck }]),
    ...(isActive ? [{ ...change, value: id }] : []),
  ];
}

function eventList({ events, watcher, now }: WatcherPageView): Html {
  if (events.length === 0)
    return html`<p>${watcher.status === 'active' ? 'Nothing has happened yet. Changes from now on appear here.' : 'Nothing has happened. It sends nothing while it is not active.'}</p>`;
  const items = events.map(
    ({
      type,
      at,
      facts: [first = null, ...more],
    }) => html`<li><p><strong>${eventTitle(type)}</strong>${first && html` <bdi>${visibleText(first)}</bdi>`}</p>
<p class="hint">${more.map((fact) => html`${visibleText(fact)} · `)}${dayAndTime(at, now)}</p></li>`,
  );
  return html`<ul class="entries">${items}</ul>`;
}

function deliveryList({ deliveries, watcher, publicUrl, now }: WatcherPageView): Html {
  if (deliveries.length > 0)
    return html`<ul class="entries">${deliveries.map((delivery) => deliveryItem(delivery, now))}</ul>
<p><button form="steps" class="btn bare">Look for new answers</button></p>`;
  if (watcher.delivery.length > 0)
    return html`<p>Nothing has been sent yet. ${isPausedByOwner(watcher) ? 'Nothing is, until you resume it.' : 'Send a test to see how your endpoint answers.'}</p>`;
  return html`<p>Nothing is sent: this watcher has no webhook, and its events are in the log. To have them sent, give it one:</p>
${code(
  'curl -X PATCH \\',
  `  '${publicUrl}/v1/watchers/${watcher.id}' \\`,
  `  -H 'Authorization: Bearer SERVICE-…' \\`,
  `  -H 'Content-Type: application/json' \\`,
  `  -d '{"delivery": [{"type": "webhook",`,
  `       "url": "https://you.example/hook"}]}'`,
)}`;
}

const DELIVERY_STATES: Readonly<Record<DeliveryView['status'], string>> = {
  pending: 'Waiting for an answer',
  succeeded: 'Delivered',
  failed: 'Not delivered',
  parked: 'Given up',
};

function deliveryItem(delivery: DeliveryView, now: number): Html {
  const { id, eventType, host, status, response, error } = delivery;
  const title = eventTitle(eventType);
  const again: Step = { name: 'redeliver', value: id, label: 'Send again', spoken: `Send ${title} again` };
  return html`<li><p><strong class="state ${status}">${DELIVERY_STATES[status]}</strong> ${title}, to <bdi>${shortened(visibleText(host), 100)}</bdi></p>
<p class="hint">${outcome(delivery, now)}</p>${error === null ? null : html`<p class="fault">${shortened(visibleText(error), 300)}</p>`}
${response === null ? null : answer(response)}<p>${stepButton(again)}</p></li>`;
}

function outcome({ httpStatus, latencyMs, attempt, at, nextAttemptAt }: DeliveryView, now: number): Fragment {
  const status = httpStatus === null ? null : `Status ${httpStatus}`;
  const latency = latencyMs === null ? null : `${latencyMs.toLocaleString('en-US')} ms`;
  const count = attempt > 1 ? `attempt ${attempt}` : null;
  const known = [status, latency, count].filter((each) => each !== null);
  const next = nextAttemptAt === null ? null : html` · next attempt ${dayAndTime(nextAttemptAt, now)}`;
  return html`${known.map((each) => `${each} · `)}${dayAndTime(at, now)}${next}`;
}

/** What an endpoint answered, as text. */
function answer(response: string): Html {
  if (response === '') return html`<p class="hint">The answer was empty.</p>`;
  return html`<details><summary>Answer</summary><pre tabindex="0"><bdi>${response}</bdi></pre></details>`;
}
