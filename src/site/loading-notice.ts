// Notice above the pages while a source loads for the first time.

import type { RequestContext } from '../http/frame/route.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { type Html, html } from '../page/html.ts';

/** How far a first load is; `total` is null where the source does not tell. */
export interface FirstLoad {
  readonly source: string;
  readonly records: number;
  readonly total: number | null;
}

type PageHandler = (call: Pick<RequestContext<unknown>, 'headers'>) => Reply;

const HEADER_END = '</header>';

/**
 * A page's handler that shows the notice below the header while `findLoading` gives a load. Such a page is never
 * remembered. Where the state cannot be found the page is shown without: the documentation needs no database.
 */
export function withLoadingNotice(handler: PageHandler, findLoading: () => Promise<FirstLoad | null>) {
  return async (call: Pick<RequestContext<unknown>, 'headers'>): Promise<Reply> => {
    const loading = await nullIfUnavailable(findLoading());
    if (loading === null) return handler(call);
    const { text, headers: { etag: _, ...headers } = {} } = handler({ headers: {} });
    return {
      text: text?.replace(HEADER_END, () => `${HEADER_END}${loadingNotice(loading).text}`) ?? '',
      headers: { ...headers, 'cache-control': 'no-store' },
    };
  };
}

/** The notice itself. */
export function loadingNotice({ source, records, total }: FirstLoad): Html {
  const count = (value: number): string => value.toLocaleString('en-US');
  const far =
    total === null ? `${count(records)} listings so far` : `${count(records)} of ${count(total)} listings`;
  return html`<p class="note" role="status">The source <strong>${source}</strong> is being loaded for the first time: ${far}.
Searches and market statistics cover what is loaded so far, and report this in <code>meta.loading</code>.</p>`;
}
