// Reader of pushed records: a JSON object to a draft of a listing, by our own field names or by the map of the source.

import { listingOf } from '../import/drafts.ts';
import type { SourceRecord } from '../import/formats/record.ts';
import { type ImportMap, parseMap } from '../import/mapping/map.ts';
import { compileMap } from '../import/mapping/row.ts';
import type { Fault } from '../import/mapping/rule.ts';
import { DAY } from '../lib/clock.ts';
import { nearest } from '../lib/nearest.ts';
import { type FieldError, faultSentence, Problem, pointerTo } from '../lib/problem.ts';
import type { ListingDraft } from '../listings/draft.ts';
import type { MediaMode } from '../listings/pictures/own-pictures.ts';
import type { RegisteredSource } from '../sources/registry/registry-store.ts';
import type { Order } from './order.ts';
import { flatten, isObject, MAX_ERRORS, MODIFIED_AT, ownMap, pointerOf, SEQUENCE } from './own-fields.ts';

/** One record, ready to be written. */
export interface PushedRecord {
  readonly key: string;
  readonly draft: ListingDraft;
  readonly order: Order | null;
  /** The record without its order, as it is stored. */
  readonly document: Record<string, unknown>;
}

/** A record that cannot be written; `key` and `order` where they could be read. */
export class RecordFault extends Problem {
  readonly key: string | null;
  readonly order: Order | null;

  constructor(errors: readonly FieldError[], key: string | null, order: Order | null = null) {
    const [first] = errors;
    const subject = first?.pointer ? `The member ${first.pointer.slice(1)}` : 'The record';
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
    super(
      'INVALID_BODY',
      `${first === undefined ? 'The record is not valid.' : faultSentence(subject, first)}${more}`,
      {
        errors,
      },
    );
    this.key = key;
    this.order = order;
  }
}

/** Reads a record; `key` is that of the URL, where there is one. Throws RecordFault. */
export type ReadRecord = (record: unknown, key: string | null, now: number) => PushedRecord;

/** A clock of a sender may be ahead, but not by more: its next changes would count as late. */
const MAX_AHEAD = DAY;
const MAX_KEY_LENGTH = 500;

/** `mediaMode`: how photos are shown of a source that says nothing of it. */
export function createRecordReader(
  { id, name, settings }: RegisteredSource,
  mediaMode: MediaMode,
): ReadRecord {
  const source = { id, name };
  const { media = mediaMode } = settings;
  return settings.map === undefined
    ? ownReader(ownMap(source, { ...settings, media }))
    : mappedReader({ media, ...parseMap(`of the source ${id}`, settings.map), source });
}

/** By our own field names. */
function ownReader(map: ImportMap): ReadRecord {
  const read = compileMap(map);
  return (record, key, now) => {
    if (!isObject(record)) throw new RecordFault([{ pointer: '', detail: 'must be an object' }], key);
    const { fields, errors, captions } = flatten(record);
    if (key !== null && fields.listingKey !== undefined && fields.listingKey !== key)
      errors.push({ pointer: '/listingKey', detail: 'must be the key of the URL, or left out' });
    if (key !== null) fields.listingKey = key;
    const { faults, values } = read(rowOf(fields));
    // A member that is refused already is not reported as missing too.
    const refused = new Set(errors.map(({ pointer }) => pointer));
    errors.push(...faults.map(ownError).filter(({ pointer }) => !refused.has(pointer)));
    const stated = values.text('listingKey');
    const order = readOrder(record[SEQUENCE], values.text('upstreamModifiedAt'), errors);
    requireSound(errors, stated, order, now);
    const draft = listingOf(values, map);
    const { [SEQUENCE]: _, [MODIFIED_AT]: __, listingKey: ___, ...document } = record;
    return { key: draft.listingKey, draft: withCaptions(draft, captions), order, document };
  };
}

/** By the map of the source, whose columns are members of the record. */
function mappedReader(map: ImportMap): ReadRecord {
  const read = compileMap(map);
  return (record, key, now) => {
    if (!isObject(record)) throw new RecordFault([{ pointer: '', detail: 'must be an object' }], key);
    const { faults, values } = read(rowOf(record));
    const errors = faults.map(mappedError);
    const stated = values.text('listingKey');
    if (key !== null && stated !== null && stated !== key)
      errors.push({
        pointer: '',
        detail: `has the key ${JSON.stringify(stated.slice(0, 60))} by the map, not that of the URL`,
      });
    const order = readOrder(undefined, values.text('upstreamModifiedAt'), errors);
    requireSound(errors, stated ?? key, order, now);
    const draft = listingOf(values, map);
    return { key: draft.listingKey, draft, order, document: { ...record } };
  };
}

function requireSound(errors: FieldError[], key: string | null, order: Order | null, now: number): void {
  if (order?.kind === 'modifiedAt' && Date.parse(order.value) > now + MAX_AHEAD)
    errors.push({
      pointer: `/${MODIFIED_AT}`,
      detail: 'lies more than a day in the future: later changes would count as late',
    });
  if (key !== null && key.length > MAX_KEY_LENGTH)
    errors.push({ pointer: '/listingKey', detail: `must have at most ${MAX_KEY_LENGTH} characters` });
  if (errors.length === 0) return;
  // No listing can have a longer key, so that nothing is noted under it.
  const possible = key !== null && key.length <= MAX_KEY_LENGTH ? key : null;
  throw new RecordFault(errors.slice(0, MAX_ERRORS), possible, order);
}

function readOrder(sequence: unknown, modifiedAt: string | null, errors: FieldError[]): Order | null {
  if (sequence === undefined || sequence === null)
    return modifiedAt === null ? null : { kind: 'modifiedAt', value: modifiedAt };
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 0) {
    errors.push({
      pointer: `/${SEQUENCE}`,
      detail: `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    });
    return null;
  }
  if (modifiedAt === null) return { kind: 'sequence', value: sequence };
  errors.push({
    pointer: `/${MODIFIED_AT}`,
    detail: 'cannot be sent with sequence: one of them orders your messages',
  });
  return null;
}

const rowOf = (fields: Readonly<Record<string, unknown>>): SourceRecord => ({
  row: 0,
  place: 0,
  fields,
  broken: null,
  geometry: null,
  rejectedText: () => '',
});

/** Remedies in parentheses are about map files. */
const withoutRemedy = (reason: string): string => reason.replace(/ \([^()]*\)$/, '');

function ownError({ column, value, reason, field }: Fault): FieldError {
  const pointer = pointerOf(column);
  if (field === undefined) return { pointer, detail: 'is missing: every listing needs one' };
  const { choices } = field;
  if (choices === undefined) return { pointer, detail: withoutRemedy(reason) };
  const suggestion = nearest(value, choices);
  const detail = `must be one of ${choices.join(', ')}`;
  return suggestion === undefined ? { pointer, detail } : { pointer, detail, suggestion };
}

function mappedError({ column, value, reason, field }: Fault): FieldError {
  const pointer = column === '' ? '' : pointerTo(column);
  const suggestion = field?.choices === undefined ? undefined : nearest(value, field.choices);
  return suggestion === undefined ? { pointer, detail: reason } : { pointer, detail: reason, suggestion };
}

function withCaptions(draft: ListingDraft, captions: ReadonlyMap<number, string>): ListingDraft {
  if (captions.size === 0 || draft.photos === null) return draft;
  const photos = draft.photos.map((photo) => ({ ...photo, caption: captions.get(photo.order) ?? null }));
  return { ...draft, photos };
}
