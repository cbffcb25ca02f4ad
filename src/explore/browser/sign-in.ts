// Way to the consent page and back: what the tab keeps meanwhile, and what it takes from the callback.

/** Of the tab: other tabs, and sites that send somebody to the callback, have no part in it. */
const STARTED = 'freehold-sign-in';
const RETURNED = 'freehold-returned';
const CLIENT_ID = 'freehold-explorer';

/** Root of the service: modules are served below it. */
export const ROOT = new URL(`${import.meta.url.split('/explore/assets/')[0] ?? ''}/`);

interface Started {
  readonly state: string;
  readonly verifier: string;
  /** The view to return to, of this service. */
  readonly view: string;
}

/** What became of consent. */
export type Returned =
  | { readonly outcome: 'code'; readonly code: string; readonly verifier: string }
  | { readonly outcome: 'denied' | 'failed' };

/** Goes to the consent page; `view` is where to return. `hash` gives the challenge of a verifier. */
export async function goToConsent(view: string, hash: (verifier: string) => Promise<string>): Promise<void> {
  const [state, verifier] = [randomText(), randomText()];
  const challenge = await hash(verifier);
  write(STARTED, { state, verifier, view });
  const issuer = ROOT.href.replace(/\/$/, '');
  const address = new URL('oauth/authorize', ROOT);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: `${issuer}/explore/callback`,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: issuer,
  }).toString();
  location.assign(address);
}

/**
 * Takes the answer of the authorization server out of the address of the callback, and gives the view to return to. Null where
 * this tab started no such sign-in: its code is then left alone.
 */
export function takeAnswer(address: URL): string | null {
  const started = take<Started>(STARTED);
  const { searchParams: answer } = address;
  const issuer = ROOT.href.replace(/\/$/, '');
  if (started === null || answer.get('state') !== started.state || answer.get('iss') !== issuer) return null;
  const code = answer.get('code');
  const outcome = answer.get('error') === 'access_denied' ? 'denied' : 'failed';
  const returned: Returned =
    code === null ? { outcome } : { outcome: 'code', code, verifier: started.verifier };
  write(RETURNED, returned);
  return ownView(started.view);
}

/** What the callback has left for this view; it is there once. */
export const takeReturned = (): Returned | null => take<Returned>(RETURNED);

/** The address if it is a page of this service, else that of the explorer. */
export function ownView(address: string): string {
  const url = URL.parse(address, location.href);
  const isOwn = url?.origin === ROOT.origin && url.pathname.startsWith(`${ROOT.pathname}explore`);
  const isSignIn = /\/explore\/(?:sign-in|callback)$/.test(url?.pathname ?? '');
  return url !== null && isOwn && !isSignIn ? url.href : new URL('explore', ROOT).href;
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

export function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function write(name: string, value: Started | Returned): void {
  sessionStorage.setItem(name, JSON.stringify(value));
}

function take<T>(name: string): T | null {
  const text = sessionStorage.getItem(name);
  sessionStorage.removeItem(name);
  return text === null ? null : (JSON.parse(text) as T);
}
