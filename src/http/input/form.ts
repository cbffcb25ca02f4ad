// Owns how a form's body is read: the pairs of application/x-www-form-urlencoded, each field once unless it is a list.

import type { TObject, TSchema } from 'typebox';
import { decodeFormText } from '../../lib/percent-encoding.ts';
import { Problem } from '../../lib/problem.ts';
import { decodeUtf8, invalid } from './body.ts';
import { asValueSchema } from './values.ts';

const MOST_FIELDS = 100;
export type Pair = readonly [name: string, value: string];

/**
 * The fields that the schema describes, as one flat object of strings; a field that may be a list is one where it is
 * sent twice, or where the schema says that it always is. Empty fields count as not sent (OAuth 2.1, section 3.1), and
 * unknown ones are left out. Throws INVALID_BODY for what is no form, and for any other field sent twice.
 */
export function parseForm(
  bytes: Uint8Array,
  schema: TSchema | undefined,
): Record<string, string | readonly string[]> {
  const { properties = {} } = (schema ?? {}) as Partial<TObject>;
  const pairs = parsePairs(decodeUtf8(bytes));
  if (pairs === null)
    throw invalid(`The body is not a valid form: at most ${MOST_FIELDS} pairs, with %-escapes in UTF-8.`);
  const fields: Record<string, string | readonly string[]> = {};
  for (const [name, values] of grouped(pairs)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const list = property === undefined ? 'never' : listing(property);
    if (values.length > 1 && list === 'never') throw repeated(name);
    const sent = values.filter((value) => value !== '');
    const [first] = sent;
    if (property === undefined || first === undefined) continue;
    fields[name] = list === 'always' || sent.length > 1 ? sent : first;
  }
  return fields;
}

/** The decoded pairs of a form or a query in the order sent; null where there are too many or an escape is broken. */
export function parsePairs(text: string): readonly Pair[] | null {
  const pieces = text.split('&', MOST_FIELDS + 1);
  if (pieces.length > MOST_FIELDS) return null;
  const pairs: Pair[] = [];
  for (const piece of pieces) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = decode(equals < 0 ? piece : piece.slice(0, equals));
    const value = decode(equals < 0 ? '' : piece.slice(equals + 1));
    if (name === null || value === null) return null;
    pairs.push([name, value]);
  }
  return pairs;
}

/** The values of each name, both in the order sent. */
export function grouped(pairs: readonly Pair[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

/** The decoded text of one name or value; null where an escape is not UTF-8, or hides the character NUL. */
function decode(text: string): string | null {
  const decoded = decodeFormText(text);
  return decoded === null || decoded.includes('\0') ? null : decoded;
}

function listing(schema: TSchema): 'never' | 'perhaps' | 'always' {
  const { type, anyOf = [] } = asValueSchema(schema);
  if (type === 'array') return 'always';
  return anyOf.some((option) => asValueSchema(option).type === 'array') ? 'perhaps' : 'never';
}

function repeated(name: string): Problem {
  const known = /^\w{1,64}$/.test(name) ? name : 'A field';
  return new Problem('INVALID_BODY', `${known} was sent more than once; send it once.`);
}
