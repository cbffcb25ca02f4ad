// SQL of answers to requests with an Idempotency-Key.

import type { Sql, Transaction } from '../../postgres/client/database.ts';

/** A key, which belongs to the owner that sent it. */
export interface OwnedKey {
  readonly owner: string;
  readonly key: string;
}

/** An answer as it was sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** Whether the body shows a secret: it is then stored sealed. */
  readonly isSecret: boolean;
}

/** An answer as it is stored. */
export interface StoredAnswer extends Omit<Answer, 'isSecret'> {
  /** In hexadecimal: SHA-256 of the body of the request. */
  readonly bodyHash: string;
  /** The body, sealed, in place of `body`; null: it shows no secret. */
  readonly sealedBody: Buffer | null;
}

/** The answer to a request with this key, unless it is older than `since`. */
export async function findAnswer(
  sql: Sql,
  { owner, key }: OwnedKey,
  since: Date,
): Promise<StoredAnswer | null> {
  const [row] = await sql<StoredAnswer[]>`
    select status, headers, body, encode(body_hash, 'hex') as "bodyHash",
      sealed_body as "sealedBody" from idempotency_key
    where owner = ${owner} and key = ${key} and created_at > ${since}`;
  return row ?? null;
}

/** Reserves the key until the transaction ends; false if another transaction has it. */
export async function tryReserveKey(tx: Transaction, { owner, key }: OwnedKey): Promise<boolean> {
  const [row] = await tx<{ reserved: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${owner} ${key}`}, 0)) as reserved`;
  return row?.reserved === true;
}

/** Reserves the key until the session ends; false if another session or transaction has it. */
export async function lockKey(sql: Sql, { owner, key }: OwnedKey): Promise<boolean> {
  const [row] = await sql<{ locked: boolean }[]>`
    select pg_try_advisory_lock(hashtextextended(${`idempotency ${owner} ${key}`}, 0)) as locked`;
  return row?.locked === true;
}

/** Stores the answer in the transaction that did the work; it replaces one that is too old. */
export async function insertAnswer(
  tx: Transaction,
  { owner, key }: OwnedKey,
  { status, headers, body, bodyHash, sealedBody }: StoredAnswer,
  now: Date,
): Promise<void> {
  await tx`
    insert into idempotency_key (owner, key, body_hash, status, headers, body, sealed_body, created_at)
    values (${owner}, ${key}, decode(${bodyHash}, 'hex'), ${status}, ${JSON.stringify(headers)}::text::json, ${body},
      ${sealedBody}, ${now})
    on conflict (owner, key) do update set body_hash = excluded.body_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body, sealed_body = excluded.sealed_body,
      created_at = excluded.created_at`;
}

/** Deletes all answers of an owner. */
export async function deleteAnswersOf(tx: Transaction, owner: string): Promise<void> {
  await tx`delete from idempotency_key where owner = ${owner}`;
}

/** Deletes answers from before this time, at most `max`; returns how many. */
export async function deleteOldAnswers(sql: Sql, before: Date, max: number): Promise<number> {
  const { count } = await sql`
    delete from idempotency_key where (owner, key) in (
      select owner, key from idempotency_key where created_at <= ${before} order by created_at limit ${max}
      for update skip locked)`;
  return count;
}
