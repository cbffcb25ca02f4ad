// Pictures of a server: what requests for them carry, what they cost, and those of one listing where their addresses last for one request.

import type {
  ListingNames,
  PictureSource,
  RequestedPictures,
} from '../../../../media/pictures/picture-source.ts';
import { LiveError } from '../../../source.ts';
import { FieldReader, isRecord, type UpstreamRecord } from '../../mapping/decode.ts';
import { TOKEN } from '../../profiles/media-schema.ts';
import { mediaModeOf } from '../../profiles/profile.ts';
import type { PageReader } from '../page-reader.ts';
import { picturesUrl } from '../query.ts';
import { listIn, type RequestHooks } from '../request.ts';
import type { Session } from '../session.ts';
import { completeChildren } from './children.ts';

interface PictureParts extends Pick<RequestHooks, 'permit' | 'fetched'> {
  readonly session: Session;
  readonly reader: Pick<PageReader, 'asking'>;
  /** The pictures of a record; null: it has no key. */
  readonly map: (record: UpstreamRecord) => RequestedPictures | null;
}

/** Milliseconds for which nothing is requested of a server that refuses, and does not say for how long. */
const REST = 60_000;

/** How pictures of a server are fetched; undefined: they are shown from there, or not at all. */
export function pictureRequests(parts: PictureParts): PictureSource | undefined {
  const { session, permit, fetched } = parts;
  const { profile } = session;
  const mode = mediaModeOf(profile, 'link');
  if (mode === null || mode === 'link') return undefined;
  const { header, singleUse } = profile.media;
  return {
    permit: async (signal) => {
      try {
        await permit?.('media', signal);
        return null;
      } catch (error) {
        signal.throwIfAborted();
        return waitOf(error);
      }
    },
    observed: (bytes) => fetched?.(bytes),
    async headers(url, signal) {
      const { protocol, hostname } = new URL(url);
      if (header === null || protocol !== 'https:' || !header.hosts.includes(hostname)) return {};
      const isSecret = header.value.includes(TOKEN);
      const value = isSecret ? header.value.replaceAll(TOKEN, await session.token(signal)) : header.value;
      return { [header.name]: value };
    },
    ...(singleUse && {
      request: (listing: ListingNames, signal: AbortSignal) => requestPictures(parts, listing, signal),
    }),
  };
}

async function requestPictures(
  { session, reader, map }: PictureParts,
  { key, listingId }: ListingNames,
  signal: AbortSignal,
): Promise<RequestedPictures | number | null> {
  const { profile, root } = session;
  if (profile.media.request === 'id' && listingId === null) return null;
  try {
    const rules = await session.rules(signal);
    const asking = reader.asking(signal);
    const records = listIn(await asking.get(picturesUrl(root, { key, listingId }, rules))).filter(isRecord);
    // Servers have answered with another listing than the one that was meant.
    const own = records.find((record) => String(record[rules.keyField]) === key);
    const { flag } = profile.deletes;
    if (own === undefined || (flag !== null && new FieldReader(own, () => null).flag(flag) === false))
      return null;
    const [whole = own] = await completeChildren([own], root, asking.get);
    return map(whole);
  } catch (error) {
    if (!(error instanceof LiveError)) throw error;
    if (error.code === 'upstream_rate_limited' || error.code === 'upstream_unavailable') return waitOf(error);
    throw error;
  }
}

const waitOf = (error: unknown): number =>
  error instanceof LiveError && error.retryAfter !== null ? error.retryAfter : REST;
