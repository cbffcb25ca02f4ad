// Header of pages with script: the link to sign in, or who is signed in with a small menu; and what became of a sign-in.

import { leadOutOfFrames } from './frame.ts';
import { onChange, type SessionState, type SignInFault, signIn, signOut } from './session.ts';
import { ROOT } from './sign-in.ts';

const STYLE = `[data-account]{position:relative}
[data-account] summary{list-style:none;cursor:pointer}
[data-account] summary::-webkit-details-marker{display:none}
[data-account] details>div{position:absolute;z-index:9;inset-inline-end:0;top:calc(100% + 8px);inline-size:260px;padding:16px;background:var(--raised);border:1px solid var(--line);border-radius:6px;box-shadow:var(--shadow)}
[data-account] details p{margin:0 0 8px;color:var(--quiet);font-size:.8125rem}
[data-account] details a{display:block;padding:8px 0}
@media (max-width:760px){.top [data-account] summary.sign-in{display:inline-flex}}`;

const FAULTS: Readonly<Record<SignInFault, string>> = {
  denied: 'You are not signed in: you cancelled on the page that asks for consent.',
  failed:
    'You are not signed in: the service refused the request. Sign in again, and tell its operator if that fails too.',
  late: 'You are not signed in: the sign-in took too long, or the service could not be reached. Sign in again.',
  ended:
    'Your sign-in has ended: its access was ended, its key is no longer valid, or it was unused for 30 days. Sign in again to go on.',
};

/** Keeps the header of the page in step with who is signed in. */
export function showAccount(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
  const place = document.querySelector('[data-account]');
  const link = place?.querySelector('a') ?? null;
  link?.addEventListener('click', (event) => {
    event.preventDefault();
    void signIn(document.referrer !== '' && isSignInPage() ? document.referrer : location.href);
  });
  leadOutOfFrames();
  let wasSignedIn = false;
  void onChange((state) => {
    // What a signed-in person saw may not be for the next person at this browser.
    if (wasSignedIn && state.session === null && state.fault === null) location.reload();
    wasSignedIn = state.session !== null;
    if (link !== null) place?.replaceChildren(state.session === null ? link : menuOf(state));
    showFault(state.fault);
  });
}

export const isSignInPage = (): boolean => location.pathname.endsWith('/explore/sign-in');

function menuOf({ session }: SessionState): HTMLElement {
  const menu = element('details');
  const panel = element('div');
  const out = element('button', 'Sign out');
  out.type = 'button';
  out.className = 'btn small';
  out.addEventListener('click', () => {
    void signOut().catch(() => {
      out.textContent = 'Not reached: try again';
    });
  });
  const summary = element(
    'summary',
    session?.hasKey ? (session.plan ?? '') : `${session?.plan ?? ''}, no key`,
  );
  summary.className = 'sign-in';
  summary.setAttribute('aria-label', `Signed in, ${session?.plan ?? ''} plan`);
  panel.append(
    element(
      'p',
      session?.hasKey
        ? `Signed in with your key, ${session.plan} plan.`
        : 'Signed in without a key, Free plan.',
    ),
    ...(session?.isKept
      ? []
      : [element('p', 'Until you leave or reload this page: this address cannot keep a sign-in.')]),
    ...(session?.hasKey ? [] : [element('p', 'Signing out also ends what this sign-in watches.')]),
    ...watchLinks(),
    linkTo('explore/watching', 'What you watch'),
    linkTo('account', 'Account'),
    out,
  );
  menu.append(summary, panel);
  menu.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    menu.open = false;
    summary.focus();
  });
  return menu;
}

/** What the page shows can be watched: a search, or a home. */
function watchLinks(): readonly HTMLElement[] {
  const path = location.pathname.slice(ROOT.pathname.length);
  const [, listingId] = /^explore\/listing\/([^/]+)$/.exec(path) ?? [];
  if (listingId !== undefined) return [linkTo(`explore/watching?listingId=${listingId}`, 'Watch this home')];
  if (path !== 'explore') return [];
  const link = linkTo('explore/watching', 'Watch this search');
  // The view changes while the page stays: the link leads to what is shown when it is followed.
  link.addEventListener('click', () => {
    const query = new URLSearchParams(location.search);
    if (!query.has('for')) query.set('for', 'sale');
    link.search = query.toString();
  });
  return [link];
}

export function linkTo(path: string, text: string): HTMLAnchorElement {
  const link = element('a', text);
  link.href = new URL(path, ROOT).href;
  return link;
}

function showFault(fault: SignInFault | null): void {
  document.querySelector('[data-sign-in-fault]')?.remove();
  if (fault === null) return;
  const notice = element('p', FAULTS[fault]);
  notice.className = 'notice warning';
  notice.dataset.signInFault = fault;
  notice.setAttribute('role', 'status');
  document.getElementById('content')?.prepend(notice);
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K, text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
