// Owns answers that were written out lately: the same property asked for again within a second is sent as it stands.

import type { StoredProperty } from '../catalogue/catalogue.ts';
import type { Reply } from '../http/route.ts';

/** An answer and its entity tag. */
export interface Written {
  readonly etag: string;
  readonly reply: Reply;
}

interface Kept extends Written {
  readonly second: number;
}

/** Ways of asking for one property that are kept at once. */
const MOST_FORMS = 8;

/** Answers to readers without live data. They tell their age in seconds, so that is how long they hold. */
export class WrittenAnswers {
  /** Forgotten together with the property that memory holds: a change brings another object. */
  readonly #answers = new WeakMap<StoredProperty, Map<string, Kept>>();

  /** The kept answer to this query, or the one that is composed now. `now` in milliseconds since the epoch. */
  get(property: StoredProperty, query: object, now: number, compose: () => Written): Written {
    const second = Math.floor(now / 1000);
    const form = JSON.stringify(query);
    let forms = this.#answers.get(property);
    const kept = forms?.get(form);
    if (kept?.second === second) return kept;
    if (forms === undefined) {
      forms = new Map();
      this.#answers.set(property, forms);
    }
    if (forms.size >= MOST_FORMS) forms.clear();
    const written = { second, ...asWritten(compose()) };
    forms.set(form, written);
    return written;
  }
}

/** In plain ASCII a text is its own bytes, and Node writes it in one piece with the head; other texts are encoded once. */
function asWritten({ etag, reply }: Written): Written {
  const { json, headers, ...rest } = reply;
  const text = JSON.stringify(json);
  const bytes = Buffer.from(text);
  const body = bytes.length === text.length ? { text } : { bytes };
  return {
    etag,
    reply: { ...rest, ...body, headers: { 'content-type': 'application/json; charset=utf-8', ...headers } },
  };
}
