// Paging of lists: the page object of a response, its links, and the names that other APIs give to cursors.

import { Type } from 'typebox';
import { nullable } from './record.ts';

/** Names of other paging parameters; errors about them suggest the cursor. */
export const CURSOR_HINTS = ['page', 'pageNumber', 'offset', 'skip', 'start', 'after', 'pageToken'];

export const PageSchema = Type.Object(
  {
    limit: Type.Integer({
      description: 'The page size: the requested one, or the tier’s maximum.',
    }),
    hasMore: Type.Boolean(),
    nextCursor: nullable(Type.String()),
    prevCursor: nullable(Type.String()),
  },
  { $id: 'Page' },
);

/** The address of another page of the same request. */
export function pageUrl(publicUrl: string, requested: string, cursor: string): string {
  const mark = requested.indexOf('?');
  const path = mark < 0 ? requested : requested.slice(0, mark);
  const parameters = new URLSearchParams(mark < 0 ? '' : requested.slice(mark + 1));
  parameters.set('cursor', cursor);
  return `${publicUrl}${path}?${parameters}`;
}

/** The headers that lead to the pages around this one; none where there are none. */
export function pageLinks(
  publicUrl: string,
  requested: string,
  page: { readonly nextCursor: string | null; readonly prevCursor: string | null },
): Record<string, string> {
  const links = [
    ['next', page.nextCursor],
    ['prev', page.prevCursor],
  ] as const;
  const link = links
    .flatMap(([rel, cursor]) =>
      cursor === null ? [] : [`<${pageUrl(publicUrl, requested, cursor)}>; rel="${rel}"`],
    )
    .join(', ');
  return link === '' ? {} : { link };
}
