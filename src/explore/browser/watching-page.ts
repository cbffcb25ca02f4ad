// Entry module of the page of what is watched: watchers, one to add, and events as they arrive.

import { element, linkTo, showAccount } from './account-menu.ts';
import { followEvents, type WatcherEvent } from './event-feed.ts';
import { onChange, signIn, token } from './session.ts';
import { ROOT } from './sign-in.ts';

interface Watcher {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly cadence: string;
  readonly target: {
    readonly type: string;
    readonly listingId?: string;
    readonly listingType?: string;
    readonly query?: Readonly<Record<string, unknown>>;
  };
}

/** Events that the page keeps. */
const MAX_EVENTS = 100;

const find = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);
const names = new Map<string, string>();
let following = new AbortController();

showAccount();
find('[data-sign-in] button')?.addEventListener('click', () => void signIn());
find('[data-offer] button')?.addEventListener('click', () => void watch());
void onChange(({ session }) => {
  following.abort();
  following = new AbortController();
  show('[data-sign-in]', session === null);
  for (const part of ['[data-offer]', '[data-watchers]', '[data-events]']) show(part, session !== null);
  if (session === null) say('Sign in to watch, and to see what you watch.');
  else {
    say(null);
    void start(following.signal);
  }
});

async function start(signal: AbortSignal): Promise<void> {
  await listWatchers();
  await followEvents({ findToken: token, onEvent: showEvent, onRefused: say, signal });
}

async function listWatchers(): Promise<void> {
  const answer = await call('v1/watchers?limit=100');
  if (answer === null) return;
  const { data } = (await answer.json()) as { data: readonly Watcher[] };
  names.clear();
  for (const watcher of data) names.set(watcher.id, nameOf(watcher));
  find('[data-watchers] ul')?.replaceChildren(
    ...(data.length === 0
      ? [element('li', 'Nothing yet: open a view of the map, and choose “Watch this search” in your menu.')]
      : data.map(itemOf)),
  );
}

function itemOf(watcher: Watcher): HTMLElement {
  const item = element('li');
  const view = viewOf(watcher);
  const name = nameOf(watcher);
  const remove = element('button', 'Stop watching');
  remove.type = 'button';
  remove.setAttribute('aria-label', `Stop watching ${name}`);
  remove.addEventListener('click', async () => {
    const answer = await call(`v1/watchers/${encodeURIComponent(watcher.id)}`, { method: 'DELETE' });
    if (answer !== null) await listWatchers();
  });
  const state = watcher.status === 'active' ? watcher.cadence : watcher.status;
  item.append(view === null ? element('span', name) : linkTo(view, name), ` ${state} `, remove);
  return item;
}

const nameOf = ({ name, target }: Watcher): string =>
  name ?? (target.listingId === undefined ? `A ${target.type}` : `Home ${target.listingId}`);

/** The view that shows what is watched; null: the explorer has none. */
function viewOf({ target }: Watcher): string | null {
  if (target.listingId !== undefined) return `explore/listing/${encodeURIComponent(target.listingId)}`;
  if (target.query === undefined) return null;
  const query = Object.entries(target.query).map(([name, value]) => [name, String(value)]);
  const kind = target.listingType === 'rental' ? [['for', 'rental']] : [];
  return `explore?${new URLSearchParams([...kind, ...query])}`;
}

async function watch(): Promise<void> {
  const offer = find('[data-offer]');
  const name = document.querySelector<HTMLInputElement>('#watch-name')?.value.trim() ?? '';
  const target: unknown = JSON.parse(offer?.dataset.offer ?? '{}');
  const body = JSON.stringify({ target, ...(name !== '' && { name }) });
  const answer = await call('v1/watchers', { method: 'POST', body });
  if (answer === null) return;
  offer?.remove();
  history.replaceState(null, '', location.pathname);
  say('It is being watched.');
  await listWatchers();
}

function showEvent({ type, timestamp, watcherId, data }: WatcherEvent): void {
  const list = find('[data-events] ol');
  const item = element('li');
  const time = element('time', new Date(timestamp).toLocaleString());
  time.dateTime = timestamp;
  const words = type.split('.').at(-1)?.replaceAll('_', ' ') ?? type;
  item.append(time, ` ${words}, ${names.get(watcherId) ?? 'a former watcher'} `);
  for (const { id, text } of homesOf(data))
    item.append(linkTo(`explore/listing/${encodeURIComponent(id)}`, text));
  list?.prepend(item);
  while (list !== null && list.childElementCount > MAX_EVENTS) list.lastElementChild?.remove();
}

/** The homes that an event is about; a digest has those of its events. */
function homesOf(data: WatcherEvent['data']): readonly { id: string; text: string }[] {
  const { object, events = [] } = data;
  if (object?.id === undefined) return events.flatMap((event) => homesOf(event.data));
  return [{ id: object.id, text: object.address?.formatted ?? `Home ${object.id}` }];
}

/** A request of the signed-in person; null where it was refused, which the page then says in the service's words. */
async function call(path: string, init: RequestInit = {}): Promise<Response | null> {
  const credential = await token();
  const answer = await fetch(new URL(path, ROOT), {
    ...init,
    headers: { authorization: `Bearer ${credential ?? ''}`, 'content-type': 'application/json' },
  }).catch(() => null);
  if (answer?.ok) return answer;
  const problem = (await answer?.json().catch(() => null)) as {
    detail?: string;
    code?: string;
  } | null;
  say(problem?.detail ?? 'The service cannot be reached. Try again.');
  if (problem?.code === 'TIER_RESTRICTED')
    find('[data-state]')?.append(' ', linkTo('billing', 'Compare plans'));
  return null;
}

function say(text: string | null): void {
  const state = find('[data-state]');
  if (state === null) return;
  state.hidden = text === null;
  state.textContent = text;
}

function show(selector: string, isShown: boolean): void {
  const part = find(selector);
  if (part !== null) part.hidden = !isShown;
}
