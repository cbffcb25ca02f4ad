// Log of EntityEvents: what its pages say has changed, each record once. Pure.

import type { UpstreamRecord } from '../../mapping/decode.ts';
import { keyIn } from './contacts.ts';

/** A record that events named. */
export interface NamedRecord {
  readonly resource: string;
  readonly key: string;
}

export interface EventPage {
  /** The records, each once, in the order of the last event of each. */
  readonly named: readonly NamedRecord[];
  /** The greatest sequence of the page; null: there is none behind the position. */
  readonly reached: string | null;
  /** Whether the events came in their order. */
  readonly isSorted: boolean;
  /** Events that name no record, or have no sequence. */
  readonly unreadable: number;
}

const WHOLE = /^\d{1,30}$/;

/** A sequence as a text of digits; null for what is none. */
export function sequenceOf({ EntityEventSequence: stated }: UpstreamRecord): string | null {
  const text = typeof stated === 'number' || typeof stated === 'string' ? String(stated) : '';
  return WHOLE.test(text) ? text : null;
}

/** What a page of the log says behind a sequence. Sequences may have gaps. */
export function readEvents(records: readonly UpstreamRecord[], after: string): EventPage {
  const named = new Map<string, NamedRecord & { readonly sequence: bigint }>();
  let [reached, last] = [BigInt(after), 0n];
  let [isSorted, unreadable] = [true, 0];
  for (const record of records) {
    const text = sequenceOf(record);
    const { ResourceName: resource } = record;
    const key = keyIn(record.ResourceRecordKey);
    const sequence = text === null ? null : BigInt(text);
    if (sequence !== null) {
      isSorted &&= sequence >= last;
      last = sequence;
      if (sequence > reached) reached = sequence;
    }
    if (sequence === null || key === null || typeof resource !== 'string') {
      unreadable += 1;
      continue;
    }
    const name = `${resource} ${key}`;
    const known = named.get(name);
    if (sequence <= BigInt(after) || (known !== undefined && known.sequence > sequence)) continue;
    named.delete(name);
    named.set(name, { resource, key, sequence });
  }
  return {
    named: [...named.values()].map(({ resource, key }) => ({ resource, key })),
    reached: reached > BigInt(after) ? String(reached) : null,
    isSorted,
    unreadable,
  };
}
