// SQL of terms, blocks and the licences of listings.

import { CHANNELS, type Channel } from '../access/tiers/reach.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
import { notify } from '../postgres/client/listen.ts';
import {
  MARKS,
  type Mark,
  marksOf,
  rulesOf,
  type Terms,
  WITHHOLDS_NOTHING,
  type Withholding,
} from './terms/terms.ts';

/** Every transaction that changes terms, blocks or licences notifies this channel. */
export const LICENCES_CHANNEL = 'licences';

/** What a block closes: one channel, or every one. */
export type Block = Channel | 'all';

export interface LicenceRow {
  readonly no: number;
  readonly source: string;
  readonly marks: readonly Mark[];
}

export interface BlockRow {
  readonly source: string;
  readonly channel: Block;
}

/** Everything that decides what is open. */
export interface LicenceState {
  readonly licences: readonly LicenceRow[];
  readonly terms: readonly {
    readonly source: string;
    readonly terms: Terms;
    /** Whether its stored listings keep to what they hide and require. */
    readonly isInLine: boolean;
  }[];
  readonly blocks: readonly BlockRow[];
  /** Names of sources as they are set up. */
  readonly names: readonly { readonly source: string; readonly name: string }[];
  /** When each source last sent data, or had nothing new, RFC 3339; of those whose terms have a maximum age. */
  readonly read: readonly { readonly source: string; readonly at: string }[];
}

export async function findLicenceState(sql: Sql): Promise<LicenceState> {
  const [row] = await sql<LicenceState[]>`
    select
      (select coalesce(json_agg(json_build_object('no', no, 'source', source, 'marks', marks) order by no), '[]') from licence)
        as licences,
      (select coalesce(json_agg(json_build_object('source', source, 'terms', terms, 'isInLine', withheld @> wanted)
        order by source), '[]') from source_terms) as terms,
      (select coalesce(json_agg(json_build_object('source', source, 'channel', channel)), '[]') from source_block) as blocks,
      (select coalesce(json_agg(json_build_object('source', id, 'name', name) order by id), '[]') from source) as names,
      (select coalesce(json_agg(json_build_object('source', source, 'at', as_of)), '[]') from source_freshness
        where source in (select source from source_terms where terms ->> 'maximumAge' is not null)) as read`;
  return row ?? { licences: [], terms: [], blocks: [], names: [], read: [] };
}

/** The number of the licence that listings of a source with these permissions have, by the permissions joined. */
export type LicenceNumbers = (permissions: readonly string[]) => number;

/** Numbers for listings of a source with these permissions; licences that are new are created with the transaction. */
export async function takeLicences(
  tx: Transaction,
  source: string,
  listings: Iterable<{ readonly permissions: readonly string[] }>,
): Promise<LicenceNumbers> {
  const wanted = new Set<string>();
  for (const { permissions } of listings) wanted.add(marksOf(permissions).join());
  const numbers = await findNumbers(tx, source);
  const missing = [...wanted].filter((marks) => !numbers.has(marks)).sort();
  if (missing.length > 0) {
    // Numbers are scarce, and an insert that meets a conflict would spend one.
    await tx`select pg_advisory_xact_lock(hashtextextended('freehold licences', 0))`;
    await tx`
      insert into licence (source, marks)
      select ${source}, string_to_array(marks, ',') from unnest(${missing}::text[]) as wanted (marks)
      where not exists (select from licence
        where licence.source = ${source} and licence.marks = string_to_array(wanted.marks, ','))
      order by 2`;
    await notifyLicences(tx);
    for (const [marks, no] of await findNumbers(tx, source)) numbers.set(marks, no);
  }
  return (each) => {
    const no = numbers.get(marksOf(each).join());
    if (no === undefined) throw new Error('The permissions of this listing were not looked up');
    return no;
  };
}

async function findNumbers(tx: Transaction, source: string): Promise<Map<string, number>> {
  const rows = await tx<{ marks: string; no: number }[]>`
    select array_to_string(marks, ',') as marks, no from licence where source = ${source}`;
  return new Map(rows.map(({ marks, no }) => [marks, no]));
}

/**
 * Notes what the licence of a source permits; null: its listings are the operator's own. The licences that it closes most are there before
 * any listing, so that where everything is open, one that is new is open too.
 */
export async function writeTerms(
  tx: Transaction,
  source: string,
  terms: Terms | null,
  now: Date,
): Promise<void> {
  const marks = terms?.marks == null ? [] : MARKS;
  const single = marks.map((mark) => ({ permissions: [mark] }));
  if (terms !== null) await takeLicences(tx, source, [{ permissions: [] }, ...single]);
  const { count } =
    terms === null
      ? await tx`delete from source_terms where source = ${source}`
      : await tx`
          insert into source_terms as known (source, terms, wanted, withheld, updated_at)
          select ${source}, ${JSON.stringify(terms)}::text::json, rules,
            case when exists (select from listing where source = ${source}) then '{}' else rules end, ${now}
          from (select ${[...rulesOf(terms)]}::text[] as rules) as stated
          on conflict (source) do update set terms = excluded.terms, wanted = excluded.wanted, updated_at = excluded.updated_at,
            withheld = case when exists (select from listing where source = ${source})
              then array(select unnest(known.withheld) intersect select unnest(excluded.wanted)) else excluded.wanted end
          where known.terms::text <> excluded.terms::text`;
  if (count > 0) await notifyLicences(tx);
}

/** All sources that are set up, or that anything is stored of, by their ids. */
export async function findLicensedSources(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from source union select source from licence order by 1`;
  return rows.map(({ id }) => id);
}

/** What the licence of a source permits; null: its listings are the operator's own. */
export async function findTerms(sql: Sql, source: string): Promise<Terms | null> {
  const [row] = await sql<{ terms: Terms }[]>`select terms from source_terms where source = ${source}`;
  return row?.terms ?? null;
}

/** What the terms of a source have withheld of each listing before it is stored. */
export async function findWithholding(sql: Sql, source: string): Promise<Withholding> {
  const terms = await findTerms(sql, source);
  // Terms that an earlier release stored have neither.
  return terms === null ? WITHHOLDS_NOTHING : { ...WITHHOLDS_NOTHING, ...terms };
}

export interface OutOfLine {
  readonly source: string;
  readonly terms: Terms;
}

/** Sources whose stored listings do not keep to their terms, which were changed by then; null: whenever. */
export async function findOutOfLine(sql: Sql, changedBy: Date | null): Promise<OutOfLine[]> {
  return sql<OutOfLine[]>`
    select source, terms from source_terms where not withheld @> wanted
      and updated_at <= coalesce(${changedBy}::timestamptz, 'infinity') order by source`;
}

/** Notes that all listings of a source keep to these terms, unless there are others by now. */
export async function noteInLine(tx: Transaction, { source, terms }: OutOfLine): Promise<void> {
  await tx`
    update source_terms set withheld = wanted
    where source = ${source} and wanted = ${[...rulesOf({ ...WITHHOLDS_NOTHING, ...terms })]}::text[]`;
  await notifyLicences(tx);
}

/** Sources that forget what has left them, and seconds after which. */
export async function findForgetting(sql: Sql): Promise<{ source: string; forgetAfter: number }[]> {
  return sql<{ source: string; forgetAfter: number }[]>`
    select source, (terms ->> 'forgetAfter')::float8 as "forgetAfter" from source_terms
    where terms ->> 'forgetAfter' is not null order by source`;
}

/** Closes channels to the listings of a source. Returns those that were open before. */
export async function blockSource(
  sql: Sql,
  source: string,
  channels: readonly Block[],
  now: Date,
): Promise<Block[]> {
  const rows = await sql<{ channel: Block }[]>`
    insert into source_block (source, channel, blocked_at)
    select ${source}, channel, ${now} from unnest(${[...channels]}::text[]) as channel
    on conflict do nothing returning channel`;
  await notifyLicences(sql);
  return rows.map(({ channel }) => channel);
}

/** Ends blocks of a source. Returns those that there were. */
export async function unblockSource(sql: Sql, source: string, channels: readonly Block[]): Promise<Block[]> {
  const rows = await sql<{ channel: Block }[]>`
    delete from source_block where source = ${source} and channel = any(${[...channels]}::text[]) returning channel`;
  await notifyLicences(sql);
  return rows.map(({ channel }) => channel);
}

/** The blocks of a source, in the order of the channels. */
export async function findBlocks(sql: Sql, source: string): Promise<Block[]> {
  const rows = await sql<{ channel: Block }[]>`
    select channel from source_block where source = ${source}`;
  const blocked = new Set(rows.map(({ channel }) => channel));
  return (['all', ...CHANNELS] as const).filter((channel) => blocked.has(channel));
}

const notifyLicences = (sql: Sql): Promise<void> => notify(sql, LICENCES_CHANNEL, '');
