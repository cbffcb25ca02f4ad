// Children of records that a server sends in pages of their own: the rest of them is fetched.

import { LiveError } from '../../../source.ts';
import { isRecord, type UpstreamRecord } from '../../mapping/decode.ts';
import { linkIn } from '../links.ts';
import { listIn } from '../request.ts';

const EXPANDED: readonly string[] = ['Media', 'OpenHouse', 'OpenHouses'];
const LINK = '@odata.nextLink';
/** More are not kept. */
const MAX_CHILDREN = 500;
const MAX_PAGES = 50;
/** Statuses of a server that does not know its own link. */
const REFUSED: readonly (number | null)[] = [400, 404, 410, 501];

/** Whether the server has more children of a record than it sent. */
export const hasMoreChildren = (record: UpstreamRecord): boolean =>
  EXPANDED.some((name) => typeof record[`${name}${LINK}`] === 'string');

/** The records with all their children. Those that the server refuses to send are left out whole, as if not requested. Throws LiveError. */
export async function completeChildren(
  records: readonly UpstreamRecord[],
  root: string,
  get: (url: string) => Promise<UpstreamRecord>,
): Promise<readonly UpstreamRecord[]> {
  const complete: UpstreamRecord[] = [];
  for (const record of records) {
    if (!hasMoreChildren(record)) complete.push(record);
    else {
      const whole: Record<string, unknown> = { ...record };
      for (const name of EXPANDED) whole[name] = await childrenOf(record, name, root, get);
      complete.push(whole);
    }
  }
  return complete;
}

async function childrenOf(
  record: UpstreamRecord,
  name: string,
  root: string,
  get: (url: string) => Promise<UpstreamRecord>,
): Promise<unknown> {
  const sent = record[name];
  const children = Array.isArray(sent) ? [...(sent as readonly unknown[])] : [];
  const followed = new Set<string>();
  let link = linkIn(root, record[`${name}${LINK}`]);
  if (link === null) return sent;
  while (
    link !== null &&
    !followed.has(link) &&
    followed.size < MAX_PAGES &&
    children.length < MAX_CHILDREN
  ) {
    followed.add(link);
    const body: UpstreamRecord | null = await get(link).catch((error: unknown) => {
      if (error instanceof LiveError && REFUSED.includes(error.status)) return null;
      throw error;
    });
    if (body === null) return undefined;
    children.push(...listIn(body).filter(isRecord));
    link = linkIn(root, body[LINK]);
  }
  return children;
}
