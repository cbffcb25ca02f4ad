// Rows of a file of keys: what each must have, and what is wrong with one that has it not.

import { InvalidArgumentError } from 'commander';
import type {
  ImportedKey,
  ImportedStripeKey,
  ImportedSubscription,
} from '../../access/providers/subscription-import-store.ts';
import { keyHash } from '../../access/providers/subscription-store.ts';
import type { RecordFields, SourceRecord } from '../../import/formats/record.ts';
import { nearest } from '../../lib/nearest.ts';
import { customerArgument, momentArgument, planArgument } from '../options.ts';

/** A row that cannot be imported: the message continues a sentence about its line, names the remedy, and holds no key. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
}

export const OWN_COLUMNS = ['key', 'plan', 'endsAt', 'customer', 'label'] as const;
export const STRIPE_COLUMNS = ['key', 'subscription'] as const;

const KEY = /^SERVICE-[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const MAX_LABEL_LENGTH = 200;

/** A subscription of our own. Throws RowFault. */
export function parseSubscription(record: SourceRecord): ImportedSubscription {
  const { key, read } = parseRow(record, OWN_COLUMNS);
  const { plan, endsAt, customer, label } = Object.fromEntries(
    OWN_COLUMNS.map((column) => [column, read(column)]),
  );
  if (typeof plan !== 'string') throw new RowFault('has no plan: give free, pro, business or internal');
  if (typeof label === 'string' && label.length > MAX_LABEL_LENGTH)
    throw new RowFault(`has a label of more than ${MAX_LABEL_LENGTH} characters: shorten it`);
  return {
    ...key,
    plan: argument('plan', plan, planArgument),
    ...(endsAt !== undefined && {
      endsAt: endsAt === null ? null : argument('endsAt', endsAt, momentArgument).toISOString(),
    }),
    ...(typeof customer === 'string' && { customer: argument('customer', customer, customerArgument) }),
    ...(label !== undefined && { label: label ?? '' }),
  };
}

/** A key for a subscription at Stripe. Throws RowFault. */
export function parseStripeKey(record: SourceRecord): ImportedStripeKey {
  const { key, read } = parseRow(record, STRIPE_COLUMNS);
  const subscription = read('subscription');
  if (typeof subscription !== 'string' || !/^sub_\w{1,190}$/.test(subscription))
    throw new RowFault('has no subscription: give its id at Stripe, which begins with sub_');
  return { ...key, subscription };
}

interface ParsedRow {
  readonly key: ImportedKey;
  /** A value of the row: undefined if its column is not there, null if it is empty. */
  readonly read: (column: string) => string | null | undefined;
}

function parseRow({ place, fields, broken }: SourceRecord, columns: readonly string[]): ParsedRow {
  if (broken !== null) throw new RowFault(`cannot be read: ${broken}`);
  const unknown = unknownColumn(fields, columns);
  if (unknown !== undefined) throw new RowFault(unknown);
  const read = (column: string) => readText(fields, column);
  const text = (read('key') ?? '').toUpperCase();
  if (!KEY.test(text))
    throw new RowFault('has no key of the form SERVICE-<UUID>: no other keys are accepted');
  return { key: { place, keyHash: keyHash(text).toString('hex'), keyHint: text.slice(-4) }, read };
}

/** What is wrong with the columns of a row; undefined where nothing is. */
export function unknownColumn(fields: RecordFields, columns: readonly string[]): string | undefined {
  const unknown = Object.keys(fields).find((name) => !columns.includes(name));
  if (unknown === undefined) return undefined;
  const known = `The columns are ${columns.join(', ')}`;
  // The name of a column that is a key is a row.
  if (/SERVICE-/i.test(unknown))
    return `has a key where names of columns must be: put them into the first line. ${known}`;
  const meant = nearest(unknown, columns);
  const remedy = meant === undefined ? 'remove it.' : `did you mean ${meant}?`;
  return `has an unknown column ${unknown.slice(0, 60)}: ${remedy} ${known}`;
}

function readText(fields: RecordFields, column: string): string | null | undefined {
  const value = fields[column];
  if (value === undefined) return undefined;
  if (value === null) return null;
  if (typeof value !== 'string') throw new RowFault(`has a ${column} that is not text: put it into quotes`);
  return value.trim() === '' ? null : value.trim();
}

/** A value as an argument of a command would be read. */
function argument<T>(column: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new RowFault(`has an invalid ${column}. ${error.message.replace(/\.$/, '')}`);
  }
}
