// Records of a resource by their keys, some at a time.

import type { UpstreamRecord } from '../../mapping/decode.ts';
import { isRecord } from '../../mapping/decode.ts';
import type { Profile } from '../../profiles/profile-schema.ts';
import { linkIn } from '../links.ts';
import type { QueryRules } from '../query.ts';
import { listIn } from '../request.ts';

/** How a server is asked: where, with what its queries may hold, and through which requests. */
export interface Asking {
  readonly root: string;
  readonly rules: QueryRules;
  /** The body of an answer. Throws LiveError. */
  readonly get: (url: string) => Promise<UpstreamRecord>;
}

/** Keys that are requested at once. */
const BATCH = 50;
const MAX_PAGES = 200;

/** Keys that a query to such a server may name. */
export const keysAtOnce = ({ query }: Pick<Profile, 'query'>): number =>
  query.in ? BATCH : Math.min(BATCH, Math.max(1, query.or));

/** Keys in groups that a query may name. */
export function batchesOf(keys: readonly string[], profile: Pick<Profile, 'query'>): string[][] {
  const size = keysAtOnce(profile);
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, at) =>
    keys.slice(at * size, (at + 1) * size),
  );
}

/** All records of a query, link by link. Throws LiveError. */
export async function readAll(url: string, { root, get }: Asking): Promise<UpstreamRecord[]> {
  const records: UpstreamRecord[] = [];
  let link: string | null = url;
  for (let pages = 0; link !== null && pages < MAX_PAGES; pages++) {
    const body: UpstreamRecord = await get(link);
    records.push(...listIn(body).filter(isRecord));
    link = linkIn(root, body['@odata.nextLink']);
  }
  return records;
}
