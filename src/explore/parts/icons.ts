// Icons of the explorer: lines of 1.5 px in a square of 16, in the colour of their text.

import type { Tags } from '../../page/map/tags.ts';

const PATHS = {
  search: 'M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0Zm-1.2 3.3L14 14',
  close: 'm4.5 4.5 7 7m0-7-7 7',
  down: 'm4 6 4 4 4-4',
  filters: 'M2 4.5h12M4 8h8M6 11.5h4',
  code: 'm5.5 4.5-3.5 3.5 3.5 3.5m5-7 3.5 3.5-3.5 3.5',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  north: 'M8 13V3M4 7l4-4 4 4',
  south: 'M8 3v10m-4-4 4 4 4-4',
  west: 'M13 8H3m4-4L3 8l4 4',
  east: 'M3 8h10M9 4l4 4-4 4',
  locate: 'M8 1.5V4m0 8v2.5M1.5 8H4m8 0h2.5M12 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z',
  draw: 'M4 11.5 5.5 4.5l6 1.5 1 6Zm-1.3 1.3a1.2 1.2 0 1 0 .1 0Z',
  whole: 'M2.5 6V2.5H6m4 0h3.5V6m0 4v3.5H10m-4 0H2.5V10',
  lock: 'M4 7h8a.5.5 0 0 1 .5.5v5a.5.5 0 0 1-.5.5H4a.5.5 0 0 1-.5-.5v-5A.5.5 0 0 1 4 7Zm1.5 0V5a2.5 2.5 0 0 1 5 0v2',
  drop: 'M3 5h10l-5 7Z',
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5M2.5 11.5h11M6.7 13.8h2.6',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside words that say the same. */
export function icon<T>({ html }: Tags<T>, name: IconName): T {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${PATHS[name]}"></path></svg>`;
}
