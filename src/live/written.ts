// Owns what was written out lately: the same record asked for again within a second is sent as it stands.

import type { Reply } from '../http/frame/route.ts';

/** An answer and its entity tag. */
export interface Written {
  readonly etag: string;
  readonly reply: Reply;
}

interface Kept<Value> {
  readonly second: number;
  readonly value: Value;
}

/** Ways of asking for one record that are kept at once. */
const MOST_FORMS = 8;

/** What is written about records from memory. They tell their age in seconds, so that is how long it holds. */
export class LatelyWritten<Value> {
  /** Forgotten together with the record that memory holds: a change brings another object. */
  readonly #kept = new WeakMap<object, Map<string, Kept<Value>>>();

  /** What is kept for this form of asking, or what is written now. `now` in milliseconds since the epoch. */
  get(record: object, form: string, now: number, write: () => Value): Value {
    const second = Math.floor(now / 1000);
    let forms = this.#kept.get(record);
    const kept = forms?.get(form);
    if (kept?.second === second) return kept.value;
    if (forms === undefined) {
      forms = new Map();
      this.#kept.set(record, forms);
    }
    if (forms.size >= MOST_FORMS) forms.clear();
    const value = write();
    forms.set(form, { second, value });
    return value;
  }
}

/** The answer with its JSON written out. In plain ASCII a text is its own bytes, and leaves in one piece with the head. */
export function writtenOut({ etag, reply }: Written): Written {
  const { json, headers, ...rest } = reply;
  const text = JSON.stringify(json);
  const bytes = Buffer.from(text);
  const body = bytes.length === text.length ? { text } : { bytes };
  return {
    etag,
    reply: { ...rest, ...body, headers: { 'content-type': 'application/json; charset=utf-8', ...headers } },
  };
}
