// Session of the person at the browser: the access token in memory, refreshed by one tab at a time.

import type { Session, SessionAnswer, SessionRequest } from '../session/session-answer.ts';
import { now } from './clock.ts';
import { isFramed } from './frame.ts';
import { base64url, goToConsent, ownView, ROOT, takeReturned } from './sign-in.ts';

/** Says to all tabs that a cookie may be there: nobody else's page asks the service. It is no secret. */
const HINT = 'freehold-signed-in';
/** Milliseconds before its end that a token is no longer used. */
const MARGIN = 30_000;

/** Why the last sign-in came to nothing, or ended. */
export type SignInFault = 'denied' | 'failed' | 'late' | 'ended';

export interface SessionState {
  readonly session: Session | null;
  readonly fault: SignInFault | null;
}

type Listener = (state: SessionState) => void;

let state: SessionState = { session: null, fault: null };
let endsAt = 0;
let refreshing: Promise<void> | null = null;
const listeners = new Set<Listener>();
const ready = start();

/**
 * The access token of the person who is signed in; null: nobody is, or the service cannot say at the moment.
 *
 */
export async function token(): Promise<string | null> {
  await ready;
  if (state.session !== null && now() >= endsAt) await refresh();
  return state.session?.accessToken ?? null;
}

/** Calls back with who is signed in, now and whenever that changes, until the signal is aborted. */
export async function onChange(listener: Listener, signal?: AbortSignal): Promise<void> {
  listeners.add(listener);
  signal?.addEventListener('abort', () => listeners.delete(listener));
  await ready;
  if (signal?.aborted !== true) listener(state);
}

/** Leaves the page for consent, and returns to `view`; default: to this one. No frame may show that, nor keep a sign-in. */
export async function signIn(view: string = location.href): Promise<void> {
  if (isFramed()) return void open(new URL('explore/sign-in', ROOT), '_top');
  return goToConsent(ownView(view), hash);
}

/** Ends the sign-in in all tabs. Where the service cannot be reached nothing changes, and it throws. */
export async function signOut(): Promise<void> {
  const { session } = state;
  const kept = session === null || session.isKept;
  await exclusively(() =>
    send(kept ? { action: 'end' } : { action: 'end', accessToken: session.accessToken }),
  );
  change(null, null);
}

async function start(): Promise<void> {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== HINT) return;
    if (newValue === null && state.session?.isKept === true) change(null, null);
    else if (newValue !== null && state.session === null) void refresh();
  });
  const returned = takeReturned();
  if (returned?.outcome === 'code') {
    const { code, verifier } = returned;
    // Before the answer, which a page that is left at once would never see: its cookie arrives all the same.
    localStorage.setItem(HINT, '1');
    const answer = await exclusively(() => send({ action: 'exchange', code, codeVerifier: verifier })).catch(
      () => null,
    );
    take(answer, 'late');
  } else if (hasHint()) await refresh();
  if (returned !== null && returned.outcome !== 'code') change(state.session, returned.outcome);
}

function refresh(): Promise<void> {
  refreshing ??= exclusively(() => send({ action: 'refresh' }))
    .then(
      (answer) => take(answer, 'ended'),
      // It cannot be reached at the moment: the cookie stays, and the next request asks again.
      () => undefined,
    )
    .finally(() => {
      refreshing = null;
    });
  return refreshing;
}

function take(answer: SessionAnswer | null, fault: 'late' | 'ended'): void {
  const wasSignedIn = state.session !== null || hasHint();
  if (answer?.session) change(answer.session, null);
  else change(null, answer === null || answer.wasRefused ? fault : wasSignedIn ? 'ended' : null);
}

function change(session: Session | null, fault: SignInFault | null): void {
  state = { session, fault };
  endsAt = session === null ? 0 : now() + session.expiresIn * 1_000 - MARGIN;
  if (session?.isKept) localStorage.setItem(HINT, '1');
  else localStorage.removeItem(HINT);
  for (const listener of listeners) listener(state);
}

/** A declaration, not a constant: the module uses it while it is being evaluated. */
function hasHint(): boolean {
  return localStorage.getItem(HINT) !== null;
}

/** One tab at a time: two that refresh at once would look as if somebody had stolen the token. */
function exclusively<T>(run: () => Promise<T>): Promise<T> {
  // Without a secure context there are no locks, and no cookie that tabs could share.
  const locks = navigator.locks as LockManager | undefined;
  return locks === undefined ? run() : locks.request('freehold-session', run);
}

/** Goes on when the page is left, so that its cookie is not lost. Throws where there is no answer. */
async function send(request: SessionRequest): Promise<SessionAnswer> {
  const answer = await fetch(new URL('explore/session', ROOT), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    keepalive: true,
  });
  if (!answer.ok) throw new Error(`The service answered with ${answer.status}.`);
  return (await answer.json()) as SessionAnswer;
}

/** The challenge of a verifier. Browsers compute it in secure contexts only; elsewhere the service does. */
async function hash(verifier: string): Promise<string> {
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle !== undefined)
    return base64url(new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
  return (await send({ action: 'challenge', codeVerifier: verifier })).challenge ?? '';
}
