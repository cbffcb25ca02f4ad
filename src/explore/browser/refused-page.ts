// Entry module of a page in place of another: opens that one for who has signed in, or once the service answers again.

import './trusted-types.ts';
import type { Session } from '../session/session-answer.ts';
import { showAccount } from './account-menu.ts';
import { after } from './clock.ts';
import { type FetchedPage, fetchPage } from './fetched-page.ts';
import { onChange } from './session.ts';

const { signal } = new AbortController();
let tried: Session | null = null;
let isOpen = false;
let cancelRetry = (): void => undefined;

showAccount();
// The server has written the page for a stranger: it knows who is signed in from requests of scripts alone.
void onChange(({ session }) => {
  if (session !== null && session !== tried && !isOpen) void open();
  else if (session === null && isOpen) location.reload();
  tried = session;
});
waitForRetry();

async function open(): Promise<void> {
  const page = await fetchPage(location.href, signal).catch(() => null);
  if (page === null) waitForRetry();
  else await show(page);
}

/** The page in place of this one. Scripts in it do not run by themselves, as no script does that a script has inserted. */
async function show({ status, content, refresh }: FetchedPage): Promise<void> {
  isOpen = status < 400;
  const scripts = [...content.querySelectorAll<HTMLScriptElement>('script[type=module][src]')];
  const modules = scripts.map((script) => new URL(script.getAttribute('src') ?? '', location.href).href);
  document.documentElement.replaceWith(document.adoptNode(content.documentElement));
  if (refresh !== null) cancelRetry = after(refresh * 1_000, () => void open());
  if (!modules.includes(import.meta.url)) {
    await Promise.all(modules.map((module) => import(module)));
    return;
  }
  showAccount();
  waitForRetry();
}

/** Tries again by itself where the page says when. */
function waitForRetry(): void {
  cancelRetry();
  const note = document.querySelector<HTMLElement>('[data-retry]');
  const seconds = Number(note?.dataset.retry ?? '');
  if (note === null || !(seconds > 0)) return;
  note.textContent = 'This page goes on by itself as soon as it can.';
  cancelRetry = after(seconds * 1_000, () => void open());
}
