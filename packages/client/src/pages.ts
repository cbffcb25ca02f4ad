// Pages: lists that are read page by page, or one by one over all of them.

import type { Listing, ListingList } from './generated/types.gen.ts';
import { textOf, valuesOf } from './streams.ts';
import { type CallOptions, get, type Transport } from './transport.ts';

interface AnyPage {
  readonly data?: readonly unknown[];
  readonly page: { readonly nextCursor: string | null };
}
interface Place {
  readonly cursor?: string;
}
type ItemOf<Page extends AnyPage> = NonNullable<Page['data']>[number];

/** `for await` goes over all pages; `page()` gives one, with its total, facets and figures. */
export class Pages<Page extends AnyPage> implements AsyncIterable<ItemOf<Page>> {
  readonly #read: (place: Place) => Promise<Page>;

  /** `read` gives one page: its argument is what the query needs for that, for the first nothing. */
  constructor(read: (place: Place) => Promise<Page>) {
    this.#read = read;
  }

  page(cursor?: string): Promise<Page> {
    return this.#read(cursor === undefined ? {} : { cursor });
  }

  /** Each page, from the first to the last. */
  async *pages(): AsyncGenerator<Page, void> {
    let page = await this.page();
    for (;;) {
      yield page;
      const { nextCursor } = page.page;
      if (nextCursor === null) return;
      page = await this.page(nextCursor);
    }
  }

  /** As a list: all, or at most so many. */
  async all({ limit = Number.POSITIVE_INFINITY } = {}): Promise<ItemOf<Page>[]> {
    const items: ItemOf<Page>[] = [];
    for await (const { data = [] } of this.pages()) {
      items.push(...data);
      if (items.length >= limit) break;
    }
    return items.slice(0, limit);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Awaited<ItemOf<Page>>, void> {
    for await (const { data = [] } of this.pages()) yield* data as Awaited<ItemOf<Page>>[];
  }
}

/** What shapes a page, and exports refuse. */
const OF_PAGES = {
  facets: undefined,
  priceBucket: undefined,
  stats: undefined,
  cluster: undefined,
  zoom: undefined,
  explain: undefined,
};

/** A search: pages, or all results as CSV or JSON lines. */
export class Search extends Pages<ListingList> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: object;
  readonly #call: CallOptions;

  constructor(transport: Transport, path: string, query: object, call: CallOptions) {
    super(async (place) => {
      const response = await get(transport, path, { ...query, ...place }, 'application/json', call);
      return (await response.json()) as ListingList;
    });
    this.#transport = transport;
    this.#path = path;
    this.#query = query;
    this.#call = call;
  }

  /** All results as CSV, as it comes, with a line of names first. */
  async *csv(): AsyncGenerator<string, void> {
    let isFirst = true;
    for await (const part of this.#parts('export', 'text/csv')) {
      yield* isFirst ? part : withoutFirstLine(part);
      isFirst = false;
    }
  }

  /** All results, read from one answer where the plan gives one. */
  async *lines(): AsyncGenerator<Listing, void> {
    for await (const part of this.#parts('ndjson', 'application/x-ndjson')) yield* valuesOf<Listing>(part);
  }

  /** Plans below Business get exports in pages, too. */
  async *#parts(form: string, accept: string): AsyncGenerator<AsyncIterable<string>, void> {
    let query: object = { ...this.#query, ...OF_PAGES };
    for (;;) {
      const answer = await get(this.#transport, `${this.#path}/${form}`, query, accept, this.#call);
      yield textOf(answer, this.#transport, this.#call);
      const [, cursor] = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
      if (cursor === undefined) return;
      query = { ...query, cursor: decodeURIComponent(cursor) };
    }
  }
}

async function* withoutFirstLine(text: AsyncIterable<string>): AsyncGenerator<string, void> {
  let head: string | null = '';
  for await (const part of text) {
    if (head === null) yield part;
    else {
      head += part;
      const end = head.indexOf('\n');
      if (end < 0) continue;
      yield head.slice(end + 1);
      head = null;
    }
  }
}
