// What stands in the list where a view leaves out homes that it has: why, what still works, and how one goes on.

import type { Tags } from '../../page/map/tags.ts';
import { type LockedPanel, lockedPanel, notice } from './notices.ts';

export interface LimitedView {
  /** What leads on where the list or the day of this reader is over. */
  readonly limitedTo: 'sign-in' | null;
  /** Why homes are left out. */
  readonly limit: { readonly code: string; readonly detail: string; readonly retryAfter: number } | null;
}

/** Null: nothing is left out. `root`: prefix of links to the root of the service. */
export function limitPanel<T>(tags: Tags<T>, view: LimitedView, root: string): T | null {
  const { limit, limitedTo } = view;
  if (limit?.code === 'RATE_LIMITED')
    return notice(tags, {
      kind: 'warning',
      title: 'Too many lists and homes in a minute',
      text: `${limit.detail} The map and its counts go on meanwhile, and so do filters.`,
    });
  if (limit !== null) return lockedPanel(tags, dayIsOver(limit.detail, limitedTo, root));
  return limitedTo === null ? null : lockedPanel(tags, listIsOver(root));
}

const signInLinks = (root: string): LockedPanel['links'] => [
  { label: 'Compare plans', href: `${root}billing` },
  { label: 'Sign in', href: `${root}explore/sign-in` },
];

const dayIsOver = (detail: string, limitedTo: LimitedView['limitedTo'], root: string): LockedPanel => ({
  title: limitedTo === null ? 'That was enough for a day' : 'Sign in to go on',
  text: `${detail} Until then the map shows all homes as clusters, counted exactly; filters and figures of the market work as before.`,
  links: limitedTo === null ? [{ label: 'Limits', href: `${root}docs/limits` }] : signInLinks(root),
});

const listIsOver = (root: string): LockedPanel => ({
  title: 'Sign in to go on',
  text: 'Without signing in a list has ten pages. The map and its counts show all homes; filters bring the others into the list.',
  links: signInLinks(root),
});
