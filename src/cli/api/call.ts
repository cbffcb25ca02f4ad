// One call of an operation: its request, and the pages that follow.

import type { Transport } from '../../../packages/client/src/transport.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import type { RequestBody } from './body.ts';
import type { Row } from './columns.ts';
import type { Operation } from './document.ts';

export interface Call {
  readonly operation: Operation;
  /** Values of the placeholders of the path, in their order. */
  readonly places: readonly string[];
  readonly query: URLSearchParams;
  readonly body: RequestBody | null;
  readonly headers: Readonly<Record<string, string>>;
}

export function pathOf({ operation, places }: Pick<Call, 'operation' | 'places'>): string {
  let place = 0;
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = places[place++] ?? '';
    // The URL would lose them, and lead elsewhere.
    if (/^\.{0,2}$/.test(value)) throw new CommandFailure(`<${name}> cannot be "${value}".`, EXIT.usage);
    return encodeURIComponent(value);
  });
}

/** Sends it. Throws FreeholdError for every answer but 2xx. */
export function send(transport: Transport, call: Call): Promise<Response> {
  const { operation, query, body, headers } = call;
  const text = query.toString();
  const request = new Request(`${transport.options.baseUrl}${pathOf(call)}${text === '' ? '' : `?${text}`}`, {
    method: operation.method,
    headers: {
      accept: operation.answers ?? '*/*',
      ...(body !== null && { 'content-type': body.type }),
      ...headers,
    },
    ...(body !== null && { body: body.content }),
  });
  return transport.send(request);
}

/** A page of a list as the API answers; members that are not there are undefined. */
export interface Page extends Row {
  readonly page?: { readonly hasMore?: boolean; readonly nextCursor?: string | null };
  readonly total?: { readonly value: number } | null;
  readonly meta?: { readonly suggestions?: readonly Suggestion[] | null };
}

export interface Suggestion {
  readonly parameter: string;
  readonly value: string;
  readonly suggestions: readonly string[];
}

/** Parameter that leads to the next page; undefined: there are no pages. */
export const cursorOf = ({ parameters }: Operation): string | undefined =>
  parameters.find(({ name }) => name === 'cursor' || name === 'after')?.name;

/** The call for another page: by its query, or by the body of a search. */
function withPage(call: Call, page: Readonly<Record<string, string | number>>): Call {
  const { body } = call;
  if (body?.type === 'application/json') {
    const members = { ...(JSON.parse(String(body.content)) as object), ...page };
    return { ...call, body: { ...body, content: JSON.stringify(members) } };
  }
  const query = new URLSearchParams(call.query);
  for (const [name, value] of Object.entries(page)) query.set(name, String(value));
  return { ...call, query };
}

/** More than any tier's page: the service caps it. */
const WHOLE_PAGE = 500;

/** The answer as JSON. */
export async function readJson(transport: Transport, call: Call): Promise<Page> {
  return (await (await send(transport, call)).json()) as Page;
}

export interface PageRange {
  /** Name of the parameter that takes a cursor. */
  readonly cursor: string;
  /** The most rows; null: as many as one page has, or all. */
  readonly max: number | null;
  readonly all: boolean;
}

/** Pages one after the other, until there are no more, or enough rows. Nobody's rows are cut: the last page is asked for what is left. */
export async function* readPages(
  transport: Transport,
  call: Call,
  { cursor, max, all }: PageRange,
  rowsOf: (page: Page) => readonly Row[],
): AsyncGenerator<Page, void> {
  let left = max ?? Number.POSITIVE_INFINITY;
  let next: string | null = null;
  do {
    const limit = max === null ? (all ? WHOLE_PAGE : null) : Math.min(left, WHOLE_PAGE);
    const page: Page = await readJson(
      transport,
      withPage(call, { ...(limit !== null && { limit }), ...(next !== null && { [cursor]: next }) }),
    );
    yield page;
    left -= rowsOf(page).length;
    const { hasMore = false, nextCursor = null } = page.page ?? {};
    next = hasMore ? nextCursor : null;
  } while (next !== null && left > 0 && (all || max !== null));
}

/** The address of the next part of a text, as the header Link names it. */
export function nextLink({ headers }: Response): URLSearchParams | null {
  const [, address = ''] = /<([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return URL.parse(address)?.searchParams ?? null;
}
