// Owns the SQL on areas: writing them, resolving parents, searching by name, and what placing listings needs.

import type { Sql, Transaction } from '../postgres/database.ts';
import { together } from '../postgres/fragments.ts';
import type { Area, AreaDraft, MeasuredArea } from './area.ts';
import type { Boundary } from './geometry.ts';
import type { PlacedArea } from './placement.ts';
import { writeNames } from './search-row-store.ts';
import type { AreaType } from './vocabulary.ts';
import { comparedWords, isName } from './words.ts';

/** An area to write, measured. */
export interface AreaWrite {
  readonly draft: AreaDraft;
  readonly measured: MeasuredArea;
}

/**
 * Writes areas and their words; returns the ids that changed. Whoever places listings meanwhile waits for the
 * transaction, since the state row is taken first.
 */
export async function writeAreas(
  tx: Transaction,
  source: string,
  writes: readonly AreaWrite[],
  now: string,
): Promise<string[]> {
  await tx`update area_state set version = version`;
  const rows = JSON.stringify(writes.map((write) => areaRow(source, write, now)));
  const changed = await tx<{ id: string }[]>`
    insert into area (id, type, name, slug, parent_reference, external_id, codes, aliases, population, boundary, bbox,
      centroid_lng, centroid_lat, area_km2, source, digest, created_at, updated_at)
    select id, type, name, slug, parent_reference, external_id, codes, aliases, population, boundary, bbox,
      centroid_lng, centroid_lat, area_km2, source, decode(digest, 'hex'), now, now
    from json_to_recordset(${rows}::text::json) as row (id text, type text, name text, slug text,
      parent_reference text, external_id text, codes jsonb, aliases text[], population integer, boundary json,
      bbox double precision[], centroid_lng double precision, centroid_lat double precision,
      area_km2 double precision, source text, digest text, now timestamptz)
    on conflict (id) do update set name = excluded.name, slug = excluded.slug,
      parent_reference = excluded.parent_reference, external_id = excluded.external_id, codes = excluded.codes,
      aliases = excluded.aliases, population = excluded.population, boundary = excluded.boundary,
      bbox = excluded.bbox, centroid_lng = excluded.centroid_lng, centroid_lat = excluded.centroid_lat,
      area_km2 = excluded.area_km2, source = excluded.source, digest = excluded.digest,
      version = area.version + 1, updated_at = excluded.updated_at
    where area.digest <> excluded.digest
    returning id`;
  await writeWords(tx, writes, changed);
  return changed.map((row) => row.id);
}

function areaRow(source: string, { draft, measured }: AreaWrite, now: string): Record<string, unknown> {
  return {
    id: measured.id,
    type: draft.type,
    name: draft.name,
    slug: measured.slug,
    parent_reference: draft.parentReference,
    external_id: draft.externalId,
    codes: draft.codes,
    aliases: draft.aliases,
    population: draft.population,
    boundary: draft.boundary,
    bbox: measured.box,
    centroid_lng: measured.centroid?.lng ?? null,
    centroid_lat: measured.centroid?.lat ?? null,
    area_km2: measured.areaKm2,
    source,
    digest: measured.digest.toString('hex'),
    now,
  };
}

async function writeWords(
  tx: Transaction,
  writes: readonly AreaWrite[],
  changed: readonly { id: string }[],
): Promise<void> {
  const ids = new Set(changed.map((row) => row.id));
  const pairs = writes
    .filter((write) => ids.has(write.measured.id))
    .flatMap((write) => write.measured.words.map((word) => ({ id: write.measured.id, word })));
  await tx`delete from area_word using area where area.no = area_no and area.id = any(${[...ids]}::text[])`;
  await tx`
    insert into area_word (word, area_no)
    select word, no from unnest(${pairs.map((pair) => pair.word)}::text[], ${pairs.map((pair) => pair.id)}::text[])
      as pair (word, id) join area using (id) on conflict do nothing`;
  await writeNames(tx, pairs.flatMap((pair) => comparedWords(pair.word)).filter(isName));
}

/**
 * Finds every area's parent by what its file called it: an id of ours, an id in a file, or a code. Returns how many
 * areas got another parent than before.
 */
export async function resolveParents(tx: Transaction): Promise<number> {
  const rows = await tx`
    with names as (
      select id as reference, id, type, 0 as rank from area
      union all select external_id, id, type, 1 from area
      union all select code.value, id, type, 2 from area, jsonb_each_text(codes) as code),
    resolved as (
      select distinct on (child.no) child.no, names.id as parent_id
      from area as child left join names
        on names.reference = child.parent_reference and names.id <> child.id and names.type <> child.type
      order by child.no, names.rank, names.id)
    update area set parent_id = resolved.parent_id from resolved
    where resolved.no = area.no and area.parent_id is distinct from resolved.parent_id returning area.no`;
  return rows.length;
}

export async function bumpAreaVersion(tx: Transaction): Promise<void> {
  await tx`update area_state set version = version + 1`;
}

/** The version of all areas together; held against change until the transaction ends. */
export async function holdAreaVersion(tx: Transaction): Promise<number> {
  const [row] = await tx<{ version: number }[]>`select version from area_state for share`;
  return row?.version ?? 0;
}

export async function readPlacedAreas(sql: Sql | Transaction): Promise<PlacedArea[]> {
  return sql<PlacedArea[]>`
    select area.no, area.type, area.name, area.aliases, area.codes, parent.no as "parentNo",
      area.area_km2 as "areaKm2", area.boundary
    from area left join area as parent on parent.id = area.parent_id order by area.no`;
}

interface AreaRow {
  id: string;
  name: string;
  slug: string;
  type: AreaType;
  parent_id: string | null;
  ancestors: Area['ancestors'];
  centroid_lng: number | null;
  centroid_lat: number | null;
  bbox: number[] | null;
  has_boundary: boolean;
  area_km2: number | null;
  aliases: string[];
  codes: Record<string, string>;
  population: number | null;
  rentals: number;
  sales: number;
  source: string;
  version: number;
}

/** An area with the version that its ETag is made of. */
export interface ReadArea {
  readonly area: Area;
  readonly version: number;
}

/** Which areas to list; `words` are beginnings that each must be met by some word of the name. */
export interface AreaQuery {
  readonly words: readonly string[];
  readonly type: AreaType | null;
  readonly parentId: string | null;
  readonly limit: number;
  /** Name and id of the last area of the page before. */
  readonly after: readonly [string, string] | null;
}

/** Areas in the order of their names. */
export async function findAreas(sql: Sql, query: AreaQuery): Promise<ReadArea[]> {
  const words = query.words.map(
    (word) => sql`and exists (select from area_word where area_no = area.no
      and word >= ${word} and word < ${`${word}\u{10ffff}`})`,
  );
  const rows = await sql<AreaRow[]>`${columns(sql)} where true
    ${query.type === null ? sql`` : sql`and type = ${query.type}`}
    ${query.parentId === null ? sql`` : sql`and parent_id = ${query.parentId}`}
    ${query.after === null ? sql`` : sql`and (name collate "C", id) > (${query.after[0]}, ${query.after[1]})`}
    ${together(sql, words)} order by name collate "C", id limit ${query.limit}`;
  return rows.map(readArea);
}

export async function findArea(sql: Sql, id: string): Promise<ReadArea | null> {
  const [row] = await sql<AreaRow[]>`${columns(sql)} where id = ${id}`;
  return row ? readArea(row) : null;
}

/** The boundary of an area as kept; null without one, undefined without such an area. */
export async function findBoundary(
  sql: Sql,
  id: string,
): Promise<{ name: string; type: AreaType; boundary: Boundary | null; version: number } | null> {
  const [row] = await sql<{ name: string; type: AreaType; boundary: Boundary | null; version: number }[]>`
    select name, type, boundary, version from area where id = ${id}`;
  return row ?? null;
}

const columns = (sql: Sql) => sql`
  select id, name, slug, type, parent_id, aliases, codes, population, centroid_lng, centroid_lat, bbox, area_km2,
    boundary is not null as has_boundary, source, version,
    coalesce((select active from area_count where area_no = no and listing_type = 'rental'), 0) as rentals,
    coalesce((select active from area_count where area_no = no and listing_type = 'sale'), 0) as sales,
    coalesce((
      with recursive chain as (
        select parent.id, parent.name, parent.type, parent.parent_id, 1 as depth
        from area as parent where parent.id = area.parent_id
        union all
        select next.id, next.name, next.type, next.parent_id, depth + 1
        from area as next join chain on next.id = chain.parent_id where depth < 10)
      select json_agg(json_build_object('id', id, 'name', name, 'type', type) order by depth) from chain),
      '[]') as ancestors
  from area`;

function readArea(row: AreaRow): ReadArea {
  const { centroid_lng: lng, centroid_lat: lat, codes } = row;
  const area: Area = {
    id: row.id,
    object: 'area',
    name: row.name,
    slug: row.slug,
    type: row.type,
    parentId: row.parent_id,
    ancestors: row.ancestors,
    centroid: lng === null || lat === null ? null : { lat, lng },
    bbox: row.bbox,
    hasBoundary: row.has_boundary,
    areaKm2: row.area_km2,
    timezone: null,
    currency: null,
    aliases: row.aliases,
    codes: { fips: codes.fips ?? null, postal: codes.postal ?? null, iso: codes.iso ?? null },
    population: row.population,
    counts: { rentals: row.rentals, sales: row.sales },
    source: row.source,
  };
  return { area, version: row.version };
}
