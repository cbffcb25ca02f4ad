// Owns how a JSON body is read: strict UTF-8, bounded depth, and no member that is lost or that touches prototypes.

import type { TSchema } from 'typebox';
import { Problem } from '../../lib/problem.ts';

const DEEPEST = 32;
const POISON = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Parses a body. Throws INVALID_BODY for anything that is not one JSON value within these bounds. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw invalid('The body is empty; send one JSON value.');
  const text = decodeUtf8(bytes);
  const value = parse(text);
  if (inspect(value) !== countNames(text)) throw invalid('The body contains a duplicate member.');
  return value;
}

/** A 400 about the body as a whole. */
export function invalid(detail: string, pointer = ''): Problem {
  return new Problem('INVALID_BODY', detail, { errors: [{ pointer, detail }] });
}

/** The text of a body. Throws INVALID_BODY for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem('INVALID_BODY', 'The body is not valid UTF-8.', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem('INVALID_BODY', 'The body is not valid JSON.', { cause });
  }
}

/** Walks the value without recursion and gives the number of members in all its objects. */
function inspect(root: unknown): number {
  let names = 0;
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw invalid(`The body is nested deeper than ${DEEPEST} levels.`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string' && value.includes('\0')) {
        throw invalid('The body contains the character NUL.');
      }
      if (typeof value !== 'object' || value === null) continue;
      if (!Array.isArray(value)) names += inspectNames(value);
      for (const member of Object.values(value)) next.push(member);
    }
    level = next;
  }
  return names;
}

function inspectNames(object: object): number {
  const names = Object.keys(object);
  for (const name of names) {
    if (POISON.has(name)) throw invalid(`The body must not have a member ${name}.`);
    if (name.includes('\0')) throw invalid('The body contains the character NUL.');
  }
  return names.length;
}

/** Counts the members written in a text that is known to be JSON: JSON.parse keeps only the last of two equal ones. */
function countNames(json: string): number {
  let count = 0;
  for (let open = json.indexOf('"'); open >= 0; open = json.indexOf('"', open + 1)) {
    open = closingQuote(json, open);
    if (nextVisible(json, open + 1) === ':') count += 1;
  }
  return count;
}

function closingQuote(json: string, open: number): number {
  for (let at = open + 1; ; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 92) at += 1;
    else if (code === 34 || Number.isNaN(code)) return at;
  }
}

function nextVisible(json: string, from: number): string {
  let at = from;
  while (json.charCodeAt(at) <= 32) at += 1;
  return json.charAt(at);
}

/** A body's schema as it may be compiled: names serve the OpenAPI document, and to a validator must be unique. */
export function withoutNames(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === '$id' ? undefined : value)));
}
