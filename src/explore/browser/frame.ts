// The page in a frame of the operator's site: links to what no frame may show lead out of it.

import { ROOT } from './sign-in.ts';

export const isFramed = (): boolean => self !== top;

/** Pages that the operator's site may show; those that sign in or are about a key may be in no frame. */
function isForFrames({ origin, pathname }: URL): boolean {
  const path = pathname.slice(ROOT.pathname.length);
  return origin === ROOT.origin && /^explore(?:$|\/(?:market|listing\/))/.test(path);
}

export function leadOutOfFrames(): void {
  if (!isFramed()) return;
  addEventListener(
    'click',
    ({ target }) => {
      const link = target instanceof Element ? target.closest('a') : null;
      const url = URL.parse(link?.href ?? '');
      if (link !== null && url !== null && !isForFrames(url)) link.target = '_top';
    },
    { capture: true },
  );
}
