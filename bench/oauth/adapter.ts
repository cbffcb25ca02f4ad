// Storage of oidc-provider in the comparison: one table, and a prepared statement for each of its calls.

import type { Adapter, AdapterPayload } from 'oidc-provider';
import type postgres from 'postgres';

/** A record as it is stored. */
export interface StoredModel {
  readonly model: string;
  readonly id: string;
  readonly payload: AdapterPayload;
  readonly expiresIn: number | undefined;
}

export async function createModelTable(sql: postgres.Sql): Promise<void> {
  await sql`
    create table if not exists oidc_model (
      model text collate "C" not null,
      id text collate "C" not null,
      payload jsonb not null,
      grant_id text collate "C",
      user_code text collate "C",
      uid text collate "C",
      expires_at timestamptz,
      consumed_at timestamptz,
      primary key (model, id)
    ) with (fillfactor = 70)`;
  await sql`create index if not exists oidc_model_grant on oidc_model (grant_id) where grant_id is not null`;
  await sql`create index if not exists oidc_model_code on oidc_model (user_code) where user_code is not null`;
  await sql`create index if not exists oidc_model_uid on oidc_model (uid) where uid is not null`;
}

/** The factory of adapters that oidc-provider asks for, on these connections. */
export function postgresAdapter(sql: postgres.Sql): (model: string) => Adapter {
  return (model) => ({
    async upsert(id, payload, expiresIn) {
      await upsertModels(sql, [{ model, id, payload, expiresIn }]);
    },
    find: async (id) => payloadOf(await sql`${selectModel(sql)} model = ${model} and id = ${id}`),
    findByUid: async (uid) => payloadOf(await sql`${selectModel(sql)} model = ${model} and uid = ${uid}`),
    findByUserCode: async (code) =>
      payloadOf(await sql`${selectModel(sql)} model = ${model} and user_code = ${code}`),
    async consume(id) {
      await sql`update oidc_model set consumed_at = now() where model = ${model} and id = ${id}`;
    },
    async destroy(id) {
      await sql`delete from oidc_model where model = ${model} and id = ${id}`;
    },
    async revokeByGrantId(grant) {
      await sql`delete from oidc_model where grant_id = ${grant}`;
    },
  });
}

/** Writes records; several at once only where they are seeded. */
export async function upsertModels(sql: postgres.Sql, models: readonly StoredModel[]): Promise<void> {
  const [only, ...more] = models;
  if (only === undefined) return;
  if (more.length === 0) return upsertOne(sql, only);
  const rows = models.map(({ payload, ...rest }) => ({
    ...rest,
    payload,
    grant_id: payload.grantId ?? null,
  }));
  await sql`
    insert into oidc_model (model, id, payload, grant_id, expires_at)
    select model, id, payload, grant_id, now() + "expiresIn" * interval '1 second'
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as r (model text, id text, payload jsonb, grant_id text, "expiresIn" float8)`;
}

async function upsertOne(sql: postgres.Sql, { model, id, payload, expiresIn }: StoredModel): Promise<void> {
  const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1000);
  const { grantId = null, userCode = null, uid = null } = payload;
  await sql`
    insert into oidc_model (model, id, payload, grant_id, user_code, uid, expires_at)
    values (${model}, ${id}, ${JSON.stringify(payload)}::text::jsonb, ${grantId}, ${userCode}, ${uid}, ${expiresAt})
    on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
      user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`;
}

function selectModel(sql: postgres.Sql) {
  return sql`
    select payload, extract(epoch from consumed_at)::int as consumed from oidc_model
    where (expires_at is null or expires_at > now()) and`;
}

function payloadOf(rows: readonly postgres.Row[]): AdapterPayload | undefined {
  const row = rows[0];
  if (row === undefined) return undefined;
  const payload: AdapterPayload = row.payload;
  return row.consumed === null ? payload : { ...payload, consumed: row.consumed };
}
