// Reader of lookups: the resource Lookup, page by page, and the texts of values in $metadata.

import { hash } from 'node:crypto';
import { DAY, HOUR } from '../../../lib/clock.ts';
import type { LookupAnswer, LookupPlace, StatedLookup } from '../../lookups/source-lookups.ts';
import { LiveError } from '../../source.ts';
import { earliestMoment, FieldReader, type UpstreamRecord } from '../mapping/decode.ts';
import { isMapped, wantedLookups } from '../mapping/vocabulary.ts';
import type { EnumerationTexts } from './enumeration-texts.ts';
import type { PageForm, PageReader } from './page-reader.ts';
import type { QueryRules } from './query.ts';
import { readsLookups } from './resources/offered.ts';
import { lookupsUrl } from './resources/resource-queries.ts';
import type { Session } from './session.ts';
import type { ParsedPage } from './walk.ts';

/** Longer texts are no values. */
const MAX_LENGTH = 200;
/** Lookups that are read at once. */
const MAX_READ = 50_000;
const MAX_PAGES = 1_000;
/** Milliseconds before the last change that are read once more: a record is small, and clocks differ. */
const OVERLAP = DAY;
const FORM: PageForm = { links: 'body', end: 'no-link', size: null };
const MODIFIED = 'ModificationTimestamp';
/** Statuses of servers that have no Lookup, that refuse the query, and that refuse it to us. */
const ABSENT: readonly (number | null)[] = [404, 405, 410];
const REFUSED: readonly (number | null)[] = [400, 414, 501];
const FORBIDDEN: readonly (number | null)[] = [403];

/** What one attempt brought. */
interface ReadRows {
  readonly lookups: readonly StatedLookup[];
  /** The greatest time of a change; null: none is stated. */
  readonly reached: string | null;
  /** Whether these are all that there are. */
  readonly isWhole: boolean;
  readonly detail: string | null;
}

export class LookupReader {
  readonly #session: Session;
  readonly #reader: PageReader;

  constructor(session: Session, reader: PageReader) {
    this.#session = session;
    this.#reader = reader;
  }

  /** What changed since a place; null: everything. Throws the LiveError of a server that sends no $metadata now. */
  async read(from: LookupPlace | null, signal: AbortSignal, maxPages = MAX_PAGES): Promise<LookupAnswer> {
    const { profile } = this.#session;
    // $metadata is as new as the lookups.
    const rules = await this.#session.rules(signal, false, HOUR);
    const names = Object.fromEntries(
      [...rules.lookupNames].filter(
        ([field, lookup]) =>
          field !== lookup && lookup.length <= MAX_LENGTH && isMapped(field, profile.fields),
      ),
    );
    const wanted = new Set(wantedLookups(names, profile.fields));
    const texts = textLookups(rules.texts ?? new Map(), wanted);
    const common = {
      names,
      wanted: hash('sha256', JSON.stringify([...wanted]), 'hex').slice(0, 8),
    };
    const hasTexts = profile.enumerationTexts === 'metadata' && rules.fields !== null;
    const nothing = {
      ...common,
      lookups: texts,
      whole: hasTexts ? (['metadata'] as const) : [],
      position: null,
    };
    if (!readsLookups(rules)) return { ...nothing, state: 'absent', detail: null };
    const place = from?.wanted === common.wanted ? from.position : null;
    try {
      const { lookups, reached, isWhole, detail } = await this.#readSince(place, wanted, rules, {
        signal,
        maxPages,
      });
      return {
        ...nothing,
        state: 'read',
        detail,
        lookups: [...texts, ...lookups],
        whole: isWhole ? [...nothing.whole, 'resource'] : nothing.whole,
        // Of pages that ended early the rest would be left out for good.
        position: detail === null ? later(place, reached) : place,
      };
    } catch (error) {
      if (!(error instanceof LiveError) || signal.aborted) throw error;
      const state = stateOf(error);
      return { ...nothing, state, detail: error.message };
    }
  }

  /** A server that cannot filter by time is asked for everything. */
  async #readSince(
    since: string | null,
    wanted: ReadonlySet<string>,
    rules: QueryRules,
    { signal, maxPages }: { readonly signal: AbortSignal; readonly maxPages: number },
  ): Promise<ReadRows> {
    const start = since === null ? null : new Date(Date.parse(since) - OVERLAP).toISOString();
    const url = lookupsUrl(this.#session.root, start, rules);
    try {
      return await this.#readPages(url, wanted, { isWhole: since === null, signal, maxPages });
    } catch (error) {
      if (since === null || !(error instanceof LiveError) || !REFUSED.includes(error.status)) throw error;
      return this.#readSince(null, wanted, rules, { signal, maxPages });
    }
  }

  async #readPages(
    url: string,
    wanted: ReadonlySet<string>,
    options: { readonly isWhole: boolean; readonly signal: AbortSignal; readonly maxPages: number },
  ): Promise<ReadRows> {
    const { page: readPage } = this.#reader.reading(FORM, options.signal);
    const lookups = new Map<string, StatedLookup>();
    const followed = new Set<string>();
    let reached: string | null = null;
    let detail: string | null = null;
    for (let link: string | null = url; link !== null; ) {
      followed.add(link);
      const page: ParsedPage | null = await readPage(link, false).catch((error: unknown) => {
        // Some servers let nobody go on as far as there are records.
        if (followed.size > 1 && error instanceof LiveError && REFUSED.includes(error.status)) return null;
        throw error;
      });
      for (const record of page?.records ?? []) {
        const lookup = this.#lookupOf(record);
        const moment = lookup?.modifiedAt ?? null;
        if (moment !== null && (reached === null || moment > reached)) reached = moment;
        if (lookup !== null && wanted.has(lookup.lookup) && lookups.size < MAX_READ)
          lookups.set(JSON.stringify([lookup.lookup, lookup.key]), lookup);
      }
      const next: string | null = page?.link ?? null;
      const isFull: boolean = followed.size >= options.maxPages || lookups.size >= MAX_READ;
      const isEnd: boolean = next === null || isFull || followed.has(next);
      if (page === null || (isEnd && next !== null))
        detail = `Only the first ${followed.size} pages were read.`;
      link = isEnd ? null : next;
    }
    return { lookups: [...lookups.values()], reached, isWhole: options.isWhole && detail === null, detail };
  }

  /** Null: no value of a lookup. */
  #lookupOf(record: UpstreamRecord): StatedLookup | null {
    const read = new FieldReader(record, () => {});
    const text = (field: string): string | null => {
      const stated = read.text(field);
      return stated === null || stated.length > MAX_LENGTH ? null : stated;
    };
    const [lookup, value] = [text('LookupName'), text('LookupValue')];
    if (lookup === null || value === null) return null;
    const moment = earliestMoment(record[MODIFIED], null);
    const isPast = moment !== null && moment <= this.#session.clock.now();
    return {
      origin: 'resource',
      lookup,
      key: text('LookupKey') ?? value,
      value,
      standard: text('StandardLookupValue'),
      legacy: text('LegacyODataValue'),
      modifiedAt: isPast ? new Date(moment).toISOString() : null,
    };
  }
}

const later = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a;

function stateOf({ status }: LiveError): 'absent' | 'refused' | 'failed' {
  if (ABSENT.includes(status)) return 'absent';
  return REFUSED.includes(status) || FORBIDDEN.includes(status) ? 'refused' : 'failed';
}

/** Texts of $metadata as lookups, by the names of their fields. */
export function textLookups(texts: EnumerationTexts, wanted?: ReadonlySet<string>): StatedLookup[] {
  return [...texts].flatMap(([field, members]) =>
    wanted !== undefined && !wanted.has(field)
      ? []
      : [...members].flatMap(([name, text]) =>
          name.length > MAX_LENGTH || text.length > MAX_LENGTH || text.trim() === ''
            ? []
            : [
                {
                  origin: 'metadata' as const,
                  lookup: field,
                  key: name,
                  value: text.trim(),
                  standard: null,
                  legacy: name,
                  modifiedAt: null,
                },
              ],
        ),
  );
}
