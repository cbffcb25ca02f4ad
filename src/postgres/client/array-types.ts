// Owns arrays: how a list becomes PostgreSQL's text for one and back, for the element types that statements use.

import { parseInstant } from './column-types.ts';

type Serialize = (value: unknown) => string;

/** In the form of the driver's `types` option; it would otherwise ask each new connection which array types there are. */
function arrayOf(oid: number, serialize: Serialize, parse: (text: string) => unknown) {
  return {
    to: oid,
    from: [oid],
    serialize: (list: unknown) => (Array.isArray(list) ? writeArray(list, serialize) : String(list)),
    parse: (text: string) => readArray(text, parse),
  };
}

export const ARRAY_TYPES = {
  textArray: arrayOf(1009, String, String),
  int4Array: arrayOf(1007, String, Number),
  float8Array: arrayOf(1022, String, Number),
  timestamptzArray: arrayOf(1185, String, parseInstant),
  byteaArray: arrayOf(1001, hexOf, (text) => Buffer.from(text.slice(2), 'hex')),
};

/** Bytes, or the hexadecimal digits of some. */
function hexOf(value: unknown): string {
  if (typeof value === 'string') return `\\x${value}`;
  if (value instanceof Uint8Array) return `\\x${value.toHex()}`;
  throw new TypeError('An element of a bytea[] must be bytes, or their hexadecimal digits');
}

/** `{"a","say \"b\"",NULL}` */
export function writeArray(list: readonly unknown[], serialize: Serialize): string {
  const items = list.map((item) => {
    if (item === undefined) throw new TypeError('An array for PostgreSQL must not hold undefined');
    if (item === null) return 'NULL';
    return typeof item === 'number' ? serialize(item) : `"${serialize(item).replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${items.join()}}`;
}

/** Arrays of one dimension, which are all that the tables have. */
export function readArray<T>(text: string, parse: (text: string) => T): (T | null)[] {
  const items: (T | null)[] = [];
  for (const [, quoted, bare] of text.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"|([^,{}"]+)/gs)) {
    if (quoted !== undefined) items.push(parse(quoted.replace(/\\(.)/gs, '$1')));
    else items.push(bare === 'NULL' || bare === undefined ? null : parse(bare));
  }
  return items;
}
