// Exports: all results of a search as lines, read page by page as fast as the client takes them.

import { readCursor } from '../../http/input/cursor.ts';
import { Problem } from '../../lib/problem.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import { valueKindOf } from '../query/sort.ts';
import { headOf, linesOf } from './formats.ts';
import type { Search } from './pagination.ts';
import type { Presentation } from './rows.ts';

/** Rows that are read, and held, at once. */
const BATCH = 100;

/** What an export is made of. */
export interface Export extends Presentation {
  readonly search: Search;
  readonly resolved: ResolvedQuery;
  readonly format: 'csv' | 'ndjson';
}

/** A piece for each batch, read when it is asked for; a walk like any other, so what does not change is met once. */
export async function* exportLines({
  search,
  resolved,
  format,
  ...presentation
}: Export): AsyncGenerator<string> {
  const { plan } = presentation;
  let { cursor } = plan;
  let head = headOf(format, presentation);
  for (;;) {
    const batch = { ...plan, cursor, limit: BATCH, count: 'none' as const };
    const { hits, page } = await search.page(batch, resolved);
    const chunk = head + (await linesOf(format, presentation, hits));
    head = '';
    if (chunk !== '') yield chunk;
    if (page.nextCursor === null) return;
    cursor = readCursor(page.nextCursor, plan.digest, plan.order.map(valueKindOf));
  }
}

/** An export runs one way. Throws INVALID_CURSOR for a cursor that leads back. */
export function refuseBackwards({ cursor }: SearchPlan): void {
  if (cursor?.direction !== 'previous') return;
  const detail = 'it leads to the previous page, and an export only goes forward';
  throw new Problem('INVALID_CURSOR', `cursor: ${detail}.`, { errors: [{ parameter: 'cursor', detail }] });
}
