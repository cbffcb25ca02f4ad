// Panel of the live stream on the page of one home: its button, each event on a line of milliseconds, and what changed.

import { html, render, type TemplateResult } from 'lit-html';
import { after } from '../clock.ts';
import { onChange, signIn, token } from '../session.ts';
import { changesOf, logOf, timeline } from './live-events.ts';
import { type LiveEvent, type LiveOutcome, readLiveStream } from './live-stream.ts';

/** What a refusal or a break looks like: what happened, what happens next, one action. */
interface Trouble {
  readonly kind: 'locked' | 'warning' | 'error';
  readonly title: string;
  readonly text: string;
  readonly action: 'sign-in' | 'plans' | 'again' | 'wait' | null;
}

interface State {
  readonly phase: 'idle' | 'running' | 'ended';
  readonly events: readonly LiveEvent[];
  readonly trouble: Trouble | null;
  /** Of the reader's plan, since this one opened; null: not known. */
  readonly streams: { readonly open: number; readonly limit: number } | null;
}

const IDLE: State = { phase: 'idle', events: [], trouble: null, streams: null };
/** Times that a stream is tried again by itself while the service restarts, and the milliseconds between two of them. */
const RETRIES = 5;
const RETRY_PAUSE = 2_000;

/** Puts the button into the panel, and draws what comes. */
export function startLivePanel(panel: HTMLElement, signal?: AbortSignal): void {
  const { listing: id, root } = panel.dataset;
  if (id !== undefined && root !== undefined) new LivePanel(panel, { id, root }, signal).show();
}

class LivePanel {
  readonly #panel: HTMLElement;
  readonly #body: HTMLElement;
  readonly #url: string;
  readonly #root: string;
  #state = IDLE;
  #running: AbortController | null = null;
  #cancelTimer: () => void = () => {};

  constructor(panel: HTMLElement, { id, root }: { id: string; root: string }, signal?: AbortSignal) {
    this.#panel = panel;
    this.#root = root;
    this.#url = `${root}v1/listing/${encodeURIComponent(id)}`;
    this.#body = panel.appendChild(document.createElement('div'));
    this.#body.className = 'live-body';
    // The sentence that the server wrote stays as the introduction.
    const written = panel.querySelector<HTMLElement>('.live-body:not(:last-child) p');
    this.#intro = written?.textContent ?? '';
    written?.parentElement?.remove();
    void onChange(() => this.#state.trouble?.action === 'sign-in' && this.#set(IDLE), signal);
    addEventListener('pagehide', () => this.#end());
    signal?.addEventListener('abort', () => this.#end());
  }

  #end(): void {
    this.#running?.abort();
    this.#cancelTimer();
  }

  readonly #intro: string;

  show(): void {
    this.#panel.setAttribute('aria-busy', String(this.#state.phase === 'running'));
    render(this.#content(), this.#body);
  }

  #set(state: Partial<State>): void {
    this.#state = { ...this.#state, ...state };
    this.show();
  }

  async #start(attempt = 0): Promise<void> {
    this.#end();
    const running = new AbortController();
    this.#running = running;
    this.#set({ phase: 'running', events: [], trouble: null, streams: null });
    const access = await token().catch(() => null);
    if (access === null) return this.#set({ phase: 'ended', trouble: SIGNED_OUT });
    const outcome = await readLiveStream({
      url: this.#url,
      token: access,
      signal: running.signal,
      onEvent: (event) => {
        if (this.#state.events.length === 0) void this.#countStreams(access, running.signal);
        this.#add(event);
      },
    });
    if (this.#running !== running) return;
    this.#running = null;
    this.#set({ phase: 'ended', trouble: troubleOf(outcome, this.#state.events) });
    this.#goOn(outcome, attempt);
  }

  /** A heartbeat only says that the source is still waited for; the last one counts. */
  #add(event: LiveEvent): void {
    const events = this.#state.events.filter(({ kind }) => kind !== 'heartbeat');
    this.#set({ events: [...events, event] });
  }

  /** How many streams of the plan are open, this one among them. */
  async #countStreams(access: string, signal: AbortSignal): Promise<void> {
    const headers = { authorization: `Bearer ${access}` };
    const answer = await fetch(`${this.#root}v1/usage`, { headers, signal }).catch(() => null);
    if (answer?.ok !== true) return;
    const { streams } = (await answer.json()) as { streams: NonNullable<State['streams']> };
    if (!signal.aborted) this.#set({ streams });
  }

  /** Tries again by itself while the service restarts, and gives the button back once a limit has passed. */
  #goOn(outcome: LiveOutcome, attempt: number): void {
    if (isRestart(outcome) && attempt < RETRIES)
      this.#cancelTimer = after(RETRY_PAUSE, () => void this.#start(attempt + 1));
    if (
      outcome.kind === 'refused' &&
      outcome.status === 429 &&
      outcome.retryAfter !== null &&
      outcome.retryAfter < 3_600
    )
      this.#cancelTimer = after(outcome.retryAfter * 1_000, () => this.#set(IDLE));
  }

  #content(): TemplateResult {
    const { phase, events, trouble } = this.#state;
    if (phase === 'idle')
      return html`<p>${this.#intro}</p><p><button type="button" class="btn primary" @click=${() => this.#start()}>Read it live</button></p>`;
    return html`${events.length === 0 ? (phase === 'running' ? html`<p role="status">Asking …</p>` : null) : [this.#summary(), timeline(events), logOf(events), changesOf(events)]}${
      trouble === null ? null : this.#trouble(trouble)
    }${this.#streams()}${this.#footer()}`;
  }

  #streams(): TemplateResult | null {
    const { streams } = this.#state;
    if (streams === null) return null;
    return html`<p class="small quiet">Streams of your plan in use: ${streams.open} of ${streams.limit}.</p>`;
  }

  #summary(): TemplateResult {
    const { phase, events } = this.#state;
    const last = events.at(-1);
    const end = events.find(({ kind }) => kind === 'done');
    const words =
      end !== undefined
        ? `Done in ${end.at.toLocaleString('en-US')} ms`
        : phase === 'running'
          ? `Reading, ${last?.at.toLocaleString('en-US')} ms so far`
          : `Ended after ${last?.at.toLocaleString('en-US')} ms`;
    return html`<p role="status"><span class="tag ${end === undefined ? 'pending' : 'new'}">${words}</span></p>`;
  }

  #trouble({ kind, title, text, action }: Trouble): TemplateResult {
    const button =
      action === 'sign-in'
        ? html`<button type="button" class="btn primary" @click=${() => signIn()}>Sign in</button>`
        : action === 'plans'
          ? html`<a class="btn primary" href="${this.#root}billing">See the plans</a>`
          : null;
    return html`<div class="live-trouble ${kind}" role="alert"><strong>${title}</strong><p>${text}</p>${button}</div>`;
  }

  #footer(): TemplateResult | null {
    const { phase, trouble } = this.#state;
    if (phase === 'running')
      return html`<p><button type="button" class="btn small" @click=${() => this.#running?.abort()}>Stop</button></p>`;
    if (trouble !== null && trouble.action !== 'again') return null;
    return html`<p><button type="button" class="btn small" @click=${() => this.#start()}>Stream again</button></p>`;
  }
}

const SIGNED_OUT: Trouble = {
  kind: 'locked',
  title: 'Live reads need the Pro plan',
  text: 'Sign in with a plan that has them. Without, you see everything that was stored at the last read of its source.',
  action: 'sign-in',
};

const isRestart = (outcome: LiveOutcome): boolean =>
  outcome.kind === 'unreachable' || (outcome.kind === 'refused' && outcome.status === 503);

function troubleOf(outcome: LiveOutcome, events: readonly LiveEvent[]): Trouble | null {
  if (outcome.kind === 'aborted')
    return {
      kind: 'warning',
      title: 'Stopped',
      text: 'You stopped the stream. The stored facts stand.',
      action: 'again',
    };
  if (outcome.kind === 'broken')
    return {
      kind: 'error',
      title: 'The stream broke off',
      text: 'It ended before its last event. The stored facts stand.',
      action: 'again',
    };
  if (isRestart(outcome))
    return {
      kind: 'warning',
      title: 'The service does not answer',
      text: 'It may be restarting. The page stays as it is, and the stream is tried again by itself in two seconds.',
      action: 'again',
    };
  if (outcome.kind === 'refused') return refusal(outcome);
  const failed = events.find((event) => event.kind === 'error');
  if (failed === undefined) return null;
  return {
    kind: 'warning',
    title: 'Its source did not answer',
    text: `${failed.message} What this page shows is as it was stored.${failed.requestId === null ? '' : ` Request ${failed.requestId}.`}`,
    action: 'again',
  };
}

function refusal({ status, code, detail, retryAfter }: Extract<LiveOutcome, { kind: 'refused' }>): Trouble {
  if (status === 401)
    return {
      kind: 'locked',
      title: 'Your sign-in has ended',
      text: 'Sign in again to go on.',
      action: 'sign-in',
    };
  if (code === 'INSUFFICIENT_SCOPE')
    return {
      kind: 'locked',
      title: 'You have not allowed live reads',
      text: `${detail} Sign in again and allow them.`,
      action: 'sign-in',
    };
  if (status === 403)
    return {
      kind: 'locked',
      title: 'Live reads need the Pro plan',
      text: `${detail} Without, you see everything that was stored.`,
      action: 'plans',
    };
  if (status === 429) {
    const when =
      retryAfter === null
        ? ''
        : ` It goes on in ${retryAfter < 120 ? `${retryAfter} seconds` : `${Math.ceil(retryAfter / 60)} minutes`}.`;
    return { kind: 'warning', title: 'A limit is reached', text: `${detail}${when}`, action: 'wait' };
  }
  if (status === 404 || status === 410)
    return {
      kind: 'error',
      title: 'This home is gone',
      text: 'Its source has removed it, or hides it now.',
      action: null,
    };
  return { kind: 'error', title: 'The stream did not open', text: detail, action: 'again' };
}
