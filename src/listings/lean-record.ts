// Records as they are stored: JSON without the members that are null or empty lists, which most are, and the same with them.

import { toJson } from '../postgres/client/value-types.ts';
import MEMBERS from './record-members.json' with { type: 'json' };
import type { StoredRecord } from './stored-record.ts';

type Members = readonly string[];

/** The members of a record in their order. */
const RECORD: Members = MEMBERS.record;
/** The members of what a record consists of, in their order, by the member that has it. Of lists, those of each item. */
const PARTS: Readonly<Record<string, Members>> = MEMBERS.parts;
/** Members that are lists; where one is missing it is empty. */
const LISTS: ReadonlySet<string> = new Set(MEMBERS.lists);

type Part = Readonly<Record<string, unknown>>;

/** The text to store, which PostgreSQL accepts. */
export function recordText(record: StoredRecord): string {
  const lean: Record<string, unknown> = { ...withoutEmpty(record as unknown as Part, RECORD) };
  for (const [name, members] of Object.entries(PARTS)) {
    const part = lean[name];
    if (Array.isArray(part)) lean[name] = part.map((item) => withoutEmpty(item, members));
    else if (isPart(part)) lean[name] = withoutEmpty(part, members);
  }
  return toJson(lean);
}

/** A record as it was before it was stored, with its members in the same order. Those of earlier releases have all of them already. */
export function wholeRecord(stored: object): StoredRecord {
  const record: Record<string, unknown> = { ...withEmpty(stored as Part, RECORD) };
  for (const [name, members] of Object.entries(PARTS)) {
    const part = record[name];
    if (Array.isArray(part)) record[name] = part.map((item) => withEmpty(item, members));
    else if (isPart(part)) record[name] = withEmpty(part, members);
  }
  return record as unknown as StoredRecord;
}

/** A row with the whole of its record. */
export const withWholeRecord = <Row extends { readonly record: StoredRecord }>(row: Row): Row => ({
  ...row,
  record: wholeRecord(row.record),
});

/** The address of a record, from its stored one. */
export const wholeAddress = (stored: object): StoredRecord['address'] =>
  withEmpty(stored as Part, PARTS.address ?? []) as unknown as StoredRecord['address'];

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;

/** A part whose members are others, or in another order, stays as it is: the order counts where it is compared as text. */
function withoutEmpty(part: Part, members: Members): Part {
  const lean: Record<string, unknown> = {};
  let at = 0;
  for (const name in part) {
    if (at < members.length && name !== members[at]) return part;
    const value = part[name];
    const isLeftOut = value === null ? !LISTS.has(name) : isEmptyList(value) && LISTS.has(name);
    if (!isLeftOut || at >= members.length) lean[name] = value;
    at++;
  }
  return at < members.length ? part : lean;
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function withEmpty(stored: Part, members: Members): Part {
  if (members.every((name) => stored[name] !== undefined)) return stored;
  const whole: Record<string, unknown> = {};
  for (const name of members) whole[name] = stored[name] ?? (LISTS.has(name) ? [] : null);
  for (const name in stored) if (whole[name] === undefined) whole[name] = stored[name];
  return whole;
}
