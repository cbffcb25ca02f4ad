// Pages: a list that is read page by page, or listing by listing over all of them.

import type { Listing, ListingList } from './generated/types.gen.ts';
import { type CallOptions, lines, open } from './streams.ts';
import type { Transport } from './transport.ts';

interface PageOf<Item> {
  readonly data?: readonly Item[];
  readonly page: { readonly nextCursor: string | null };
}

/** Reads one page; without a cursor the first. */
export type ReadPage<Page> = (cursor: string | undefined, options: CallOptions) => Promise<Page>;

/** `for await` goes over all pages; `page()` gives one, with its total, facets and figures. */
export class Pages<Page extends PageOf<Item>, Item> implements AsyncIterable<Item> {
  readonly #read: ReadPage<Page>;
  protected readonly options: CallOptions;

  constructor(read: ReadPage<Page>, options: CallOptions = {}) {
    this.#read = read;
    this.options = options;
  }

  page(cursor?: string): Promise<Page> {
    return this.#read(cursor, this.options);
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

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const { data = [] } of this.pages()) yield* data;
  }
}

/** A search: pages, or all results at once as CSV or JSON lines. */
export class Search extends Pages<ListingList, NonNullable<ListingList['data']>[number]> {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, path: string, read: ReadPage<ListingList>, options: CallOptions = {}) {
    super(read, options);
    this.#transport = transport;
    this.#path = path;
  }

  /** CSV as it comes, with a line of names first. */
  csv(): Promise<ReadableStream<string>> {
    const path = this.#path.replace(/(\?|$)/, '/export$1');
    return open(this.#transport, path, 'text/csv', this.options);
  }

  async *lines(): AsyncGenerator<Listing, void> {
    const path = this.#path.replace(/(\?|$)/, '/ndjson$1');
    yield* lines<Listing>(await open(this.#transport, path, 'application/x-ndjson', this.options));
  }
}
