// SQL that writes areas, resolves their parents, and reads what placement needs.

import type { Sql, Transaction } from '../postgres/client/database.ts';
import { isName, tokenize } from '../text/tokenize.ts';
import type { AreaDraft, MeasuredArea } from './area.ts';
import { writeNames } from './name-store.ts';
import type { PlacedArea } from './placement.ts';

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
  const rows = JSON.stringify(writes.map((write, place) => ({ ...areaRow(source, write, now), place })));
  // Only areas that are new take a number: `on conflict` would take one for each row, and numbers without bound make large tables
  // of counts by number. Nobody else writes areas until the transaction ends, and the statement sees what they wrote before.
  const changed = await tx<{ id: string }[]>`
    with row as materialized (
      select * from json_to_recordset(${rows}::text::json) as row (id text, type text, name text, slug text,
        parent_reference text, other_parents text[], external_id text, codes jsonb, aliases text[],
        population integer, time_zone text, boundary json,
        bbox double precision[], centroid_lng double precision, centroid_lat double precision,
        area_km2 double precision, source text, digest text, now timestamptz, place integer)),
    updated as (
      update area set name = row.name, slug = row.slug,
        parent_reference = row.parent_reference, other_parents = row.other_parents,
        external_id = row.external_id, codes = row.codes, aliases = row.aliases, population = row.population,
        time_zone = row.time_zone, boundary = row.boundary,
        bbox = row.bbox, centroid_lng = row.centroid_lng, centroid_lat = row.centroid_lat,
        area_km2 = row.area_km2, source = row.source, digest = decode(row.digest, 'hex'),
        version = area.version + 1, updated_at = now
      from row where area.id = row.id and area.digest <> decode(row.digest, 'hex')
      returning area.id),
    inserted as (
      insert into area (id, type, name, slug, parent_reference, other_parents, external_id, codes, aliases, population,
        time_zone, boundary, bbox, centroid_lng, centroid_lat, area_km2, source, digest, created_at, updated_at)
      select id, type, name, slug, parent_reference, other_parents, external_id, codes, aliases, population,
        time_zone, boundary, bbox, centroid_lng, centroid_lat, area_km2, source, decode(digest, 'hex'), now, now
      from row where not exists (select from area where area.id = row.id) order by place
      returning id)
    select id from updated union all select id from inserted`;
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
    other_parents: draft.otherParents ?? [],
    external_id: draft.externalId,
    codes: draft.codes,
    aliases: draft.aliases,
    population: draft.population,
    time_zone: draft.timeZone ?? null,
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
  await writeNames(tx, pairs.flatMap((pair) => tokenize(pair.word)).filter(isName));
}

/**
 * Finds every area's parents by what its file called them: an id of ours, an id in a file, or a code. Returns how many
 * ties between areas are other than before.
 */
export async function resolveParents(tx: Transaction): Promise<number> {
  const [ties] = await tx<{ changed: number }[]>`
    with names as (
      select id as reference, no, id, type, 0 as rank from area
      union all select external_id, no, id, type, 1 from area
      union all select code.value, no, id, type, 2 from area, jsonb_each_text(codes) as code),
    child as (
      select no, type, parent_reference as reference, 0 as ordinal from area where parent_reference is not null
      union all select no, type, other.reference, other.ordinal
      from area, unnest(other_parents) with ordinality as other (reference, ordinal)),
    match as (
      select distinct on (child.no, child.ordinal) child.no as child_no, child.ordinal, names.no as parent_no
      from child join names
        on names.reference = child.reference and names.no <> child.no and names.type <> child.type
      order by child.no, child.ordinal, names.rank, names.id),
    resolved as (
      select child_no, parent_no, min(ordinal)::integer as ordinal from match group by child_no, parent_no),
    deleted as (
      delete from area_edge as edge where not exists (
        select from resolved where resolved.child_no = edge.child_no and resolved.parent_no = edge.parent_no)
      returning 1),
    upserted as (
      insert into area_edge (child_no, parent_no, ordinal) select child_no, parent_no, ordinal from resolved
      on conflict (child_no, parent_no) do update set ordinal = excluded.ordinal
        where area_edge.ordinal <> excluded.ordinal
      returning 1)
    select ((select count(*) from deleted) + (select count(*) from upserted))::integer as changed`;
  await tx`
    update area set parent_id = first.id from (
      select child.no, parent.id from area as child
      left join area_edge on child_no = child.no and ordinal = 0 left join area as parent on parent.no = parent_no
    ) as first where first.no = area.no and area.parent_id is distinct from first.id`;
  return ties?.changed ?? 0;
}

/** Deletes the areas of a source; returns how many there were. Writers that place listings meanwhile wait for the transaction. */
export async function deleteAreasOf(tx: Transaction, source: string): Promise<number> {
  await bumpAreaVersion(tx);
  const { count } = await tx`delete from area where source = ${source}`;
  if (count > 0) await resolveParents(tx);
  return count;
}

export async function bumpAreaVersion(tx: Transaction): Promise<void> {
  await tx`update area_state set version = version + 1`;
}

/** The version of all areas together; locked against change until the transaction ends. */
export async function lockAreaVersion(tx: Transaction): Promise<number> {
  const [row] = await tx<{ version: number }[]>`select version from area_state for share`;
  return row?.version ?? 0;
}

/** The same without holding it: what was worked out at this version is true until it changes. */
export async function findAreaVersion(sql: Sql): Promise<number> {
  const [row] = await sql<{ version: number }[]>`select version from area_state`;
  return row?.version ?? 0;
}

export async function findPlacedAreas(sql: Sql | Transaction): Promise<PlacedArea[]> {
  return sql<PlacedArea[]>`
    select no, type, name, aliases, codes, area_km2 as "areaKm2", boundary, time_zone as "timeZone",
      array(select parent_no from area_edge where child_no = no order by ordinal) as "parentNos"
    from area order by no`;
}
