// Elements of the pages about watchers: states in words, facts, and buttons that each take one step.

import type { Cadence } from '../../access/tiers/tiers.ts';
import { type Fragment, type Html, html, shortened, visibleText } from '../../page/html.ts';
import { dayAndTime } from '../../page/time.ts';
import type { Watcher } from '../../watch/watcher.ts';
import type { Webhook } from '../../watch/webhooks/webhook.ts';
import { REASONS } from './event-words.ts';
import type { TargetWords } from './target-words.ts';

export interface WatcherView {
  readonly watcher: Watcher;
  readonly target: TargetWords;
}

/** What was just done, or why it was not. */
export interface Notice {
  readonly text: string;
  readonly isFault: boolean;
}

/** The name, or what is watched. */
export function titleOf({ watcher, target }: WatcherView): string {
  const name = visibleText(watcher.name ?? '');
  return name === '' ? shortened(visibleText(target.title), 100) : name;
}

export function noticeElement(notice: Notice | null): Html | null {
  if (notice === null) return null;
  if (notice.isFault) return html`<p class="notice error" role="alert">${notice.text}</p>`;
  return html`<p class="notice" role="status">${notice.text}</p>`;
}

/** What the buttons of a page send with their own name and value. */
export function stepsForm(hidden: Readonly<Record<string, string | null>>): Html {
  const fields = Object.entries(hidden).filter(([, value]) => value !== null);
  return html`<form id="steps" method="post" action="watchers">${fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}</form>`;
}

export interface Step {
  readonly name: 'watcher' | 'pause' | 'resume' | 'test' | 'redeliver' | 'cursor';
  readonly value: string;
  readonly label: string;
  /** For screen readers, where the label says too little alone. */
  readonly spoken?: string;
  readonly isPrimary?: boolean;
}

export function stepButton({ name, value, label, spoken, isPrimary = false }: Step): Html {
  const kind = isPrimary ? 'btn primary' : 'btn';
  const aria = spoken === undefined ? null : html` aria-label="${spoken}"`;
  return html`<button class="${kind}" form="steps" name="${name}" value="${value}"${aria}>${label}</button>`;
}

const STATES: Readonly<Record<Watcher['status'], string>> = {
  active: 'Active',
  paused: 'Paused',
  disabled: 'Switched off',
  expired: 'Expired',
};

export function stateElement({ status, statusReason, expiresAt }: Watcher, now: number): Html {
  return html`<p class="state ${status}"><strong>${STATES[status]}.</strong> ${explanation()}</p>`;

  function explanation(): Fragment {
    if (statusReason !== null) return REASONS[statusReason] ?? statusReason;
    if (status === 'expired') return 'It sends nothing any more, and is deleted after 30 days.';
    return expiresAt === null ? 'You are notified of changes.' : html`It ends ${dayAndTime(expiresAt, now)}.`;
  }
}

/** The hour is that of the watcher's time zone. */
const CADENCES: Readonly<Record<Cadence, string>> = {
  instant: 'At once',
  hourly: 'Every hour, in one digest',
  daily: 'Every day at 08:00, in one digest',
  weekly: 'Every Monday at 08:00, in one digest',
};

function cadenceWords({ cadence, timeZone }: Watcher): string {
  const zone = cadence === 'instant' ? '' : ` (${timeZone})`;
  return `${CADENCES[cadence]}${zone}`;
}

const WEBHOOK_STATES: Readonly<Record<Webhook['status'], string>> = {
  unverified: 'Not verified: it gets a test until it answers one',
  active: 'Works',
  failing: 'Does not answer: tried again by itself',
  disabled: 'Switched off: it gets nothing until you try again',
};

/** What is watched, how soon events are sent, and where; `more`: further facts. */
export function factList({ watcher, target }: WatcherView, now: number, more: Fragment = null): Html {
  const which = target.which.map((each) => html`<li>${visibleText(each)}</li>`);
  const sent = watcher.delivery.map((webhook) => webhookItem(webhook, now));
  return html`<dl class="facts"><div><dt>Watches</dt><dd>${target.what}${which.length === 0 ? null : html`<ul class="quiet">${which}</ul>`}</dd></div>
<div><dt>Tells</dt><dd>${cadenceWords(watcher)}</dd></div>
<div><dt>Sends to</dt><dd>${sent.length === 0 ? 'No webhook' : html`<ul>${sent}</ul>`}</dd></div>${more}</dl>`;
}

function webhookItem({ url, status, lastSuccessAt }: Webhook, now: number): Html {
  const success =
    lastSuccessAt === null ? null : html`, last answered ${dayAndTime(Date.parse(lastSuccessAt), now)}`;
  return html`<li><code class="long">${shortened(visibleText(url), 300)}</code>
<span class="state ${status}"><strong>${WEBHOOK_STATES[status]}</strong>${success}</span></li>`;
}

/** A request to copy. */
export function code(...lines: readonly string[]): Html {
  return html`<pre><code>${lines.join('\n')}</code></pre>`;
}
