// Icons: one line of 1.5 px in a square of 16, in the colour of their text.

import { Html } from './html.ts';

const PATHS = {
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>',
  menu: '<path d="M2.5 4.5h11m-11 4h11m-11 4h11"/>',
  close: '<path d="m4.5 4.5 7 7m0-7-7 7"/>',
  down: '<path d="m4 6 4 4 4-4"/>',
  lock: '<rect x="3.5" y="7" width="9" height="6.5" rx="1"/><path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2"/>',
  copy: '<rect x="5.5" y="5.5" width="8" height="8" rx="1"/><path d="M10.5 3.5v-1h-8v8h1"/>',
  check: '<path d="m3.5 8.5 3 3 6-7"/>',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside words that say the same. */
export function icon(name: IconName): Html {
  return new Html(
    `<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`,
  );
}
