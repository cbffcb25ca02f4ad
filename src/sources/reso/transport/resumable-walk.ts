// Walk that goes on: from a saved link, behind the last record where the link is no longer known, or once more from the beginning.

import { LiveError, type Position } from '../../source.ts';
import { resolveLink } from './links.ts';
import type { PageReader, Reading } from './page-reader.ts';
import { canResume, type QueryOption, type QueryProfile, type QueryRules, type Resumption } from './query.ts';
import type { Session } from './session.ts';
import { followLink, type ParsedPage, Trail, walkPages } from './walk.ts';

/** A query whose pages go on behind any of their records, as far as its order allows that. */
export interface Walk {
  readonly query: QueryProfile;
  readonly options: readonly QueryOption[];
  readonly url: (rules: QueryRules, from: Resumption | null) => string;
  readonly reading: Reading;
  /** How far the pages have come: the watermark of the last record. */
  readonly at: () => string | null;
  /** The walk in place of this one where it has to start over; absent: itself. */
  readonly again?: Walk;
}

export interface WalkedPage {
  readonly page: ParsedPage;
  /** Whether the walk has started over with this page. */
  readonly isRestart: boolean;
  /** The key of the last record. */
  readonly key: string | null;
}

/** Statuses of a server that no longer knows a link. */
const STALE: readonly number[] = [400, 404, 410];

const isStale = (error: unknown): boolean => error instanceof LiveError && STALE.includes(error.status ?? 0);

export class ResumableWalk {
  readonly #session: Session;
  readonly #reader: PageReader;

  constructor(session: Session, reader: PageReader) {
    this.#session = session;
    this.#reader = reader;
  }

  /**
   * The pages of a query from a position on. A link that the server does not know any more is replaced once by a query that
   * goes on behind the last record; where the order of the pages does not allow that, a walk that a former run left starts over.
   */
  async *pages(walk: Walk, from: Position): AsyncGenerator<WalkedPage> {
    const { field } = this.#session.profile.watermark;
    const saved = new Trail(field, typeof from.key === 'string' ? from.key : null);
    const hasLink = typeof from.link === 'string';
    const resumed = hasLink
      ? ((await this.#resume(from, saved, walk.reading)) ?? (await this.#behind(walk, saved)))
      : null;
    const isAgain = hasLink && resumed === null;
    const taken = isAgain ? (walk.again ?? walk) : walk;
    const trail = isAgain ? new Trail(field) : saved;
    const { options, reading, url } = taken;
    const first = resumed ?? (await this.#reader.first((rules) => url(rules, null), options, reading));
    const recover = async (error: unknown, isProgress: boolean) =>
      isProgress && (isStale(error) || this.#reader.isTooSlow(error)) ? this.#behind(taken, trail) : null;
    let isRestart = isAgain;
    for await (const page of walkPages(first, trail, reading.page, recover)) {
      yield { page, isRestart, key: trail.lastKey };
      isRestart = false;
    }
  }

  /** The page behind the last record; null where the order of the pages does not allow that. */
  async #behind({ query, options, url, reading, at }: Walk, trail: Trail): Promise<ParsedPage | null> {
    const rules = await this.#session.rules(reading.signal, reading.slowly);
    const place = { at: at(), key: trail.lastKey };
    if (!canResume(query, place, rules)) return null;
    trail.goBack();
    return this.#reader.first((changed) => url(changed, place), options, reading);
  }

  /** The page of the saved link; null where there is none, or where the server no longer knows it. */
  async #resume(
    { link }: Position,
    trail: Trail,
    { page, signal, slowly }: Reading,
  ): Promise<ParsedPage | null> {
    // The server may have moved since: a link of its old address would be refused in every round.
    if (typeof link !== 'string' || resolveLink(this.#session.root, link) !== link) return null;
    // A process that has just started does not know yet what its records are made of.
    await this.#session.rules(signal, slowly);
    return followLink(link, trail, page).catch((error: unknown) => {
      if (isStale(error) || this.#reader.isTooSlow(error)) return null;
      throw error;
    });
  }
}
