// Presenter of events: the JSON that readers get. What a change shows is encoded once for all its events.

import { hash } from 'node:crypto';
import { publicOwner } from '../../access/tiers/tiers.ts';
import { hideMembers } from '../../listings/change-state.ts';
import { type CreditParts, creditsOf } from '../../listings/provenance/credits-store.ts';
import { formatCursor } from './cursor.ts';
import type { EventPosition } from './event.ts';
import type { ContentRow, EventPage, EventRow } from './read-store.ts';

/** An event as it is sent. */
export interface PresentedEvent {
  readonly row: EventRow;
  readonly cursor: string;
  /** The event object. */
  readonly json: string;
  /** Numbers of the licences of the listings that it shows. */
  readonly shown: readonly number[];
}

/** The events of a page, in order. Ids and names in them need no escapes. */
export function presentEvents(
  { rows, contents, held }: Pick<EventPage, 'rows' | 'contents' | 'held'>,
  publicUrl: string,
): PresentedEvent[] {
  const owners = memoize(publicOwner);
  const names = memoize(namesJson);
  const shown = new Map(contents.map((content) => [contentKey(content), contentJson(content, names)]));
  const heldBy = Map.groupBy(held, ({ digest, watcherId }) => `${digest} ${watcherId}`);
  const listingJson = (row: EventRow, listingId: string): string =>
    `{${shown.get(contentKey(row)) ?? hiddenJson(listingId)},"matchedOn":${names(row.matchedOn)},` +
    `"url":"${publicUrl}/v1/property/${listingId}"}`;
  const visible = new Set(contents.filter(({ object }) => object !== null).map(contentKey));
  const shownBy = (row: EventRow): readonly number[] =>
    visible.has(contentKey(row)) ? [row.licenceNo ?? GONE] : [];
  const dataOf = (row: EventRow, cursor: string): EventData => {
    const { type, sequence, watcherId, listingId } = row;
    if (listingId !== null) return { json: listingJson(row, listingId), shown: shownBy(row) };
    if (type !== 'watcher.digest') return { json: aboutWatcherJson(row), shown: [] };
    const events = heldBy.get(`${sequence} ${watcherId}`) ?? [];
    return digestData(
      row,
      events.map(present),
      `${publicUrl}/v1/watchers/${watcherId}/events?digest=${cursor}`,
    );
  };
  const present = (row: EventRow): PresentedEvent => {
    const { type, at, sequence, watcherId, owner } = row;
    const cursor = formatCursor(row);
    const { json: data, shown: licences } = dataOf(row, cursor);
    const json =
      `{"id":"${eventId(row)}","object":"event","type":"${type}","apiVersion":"v1","timestamp":"${at}",` +
      `"sequence":${sequence},"cursor":"${cursor}","watcherId":"${watcherId}","owner":"${owners(owner)}",` +
      `"data":${data}}`;
    return { row, cursor, json, shown: licences };
  };
  return rows.map(present);
}

/** The id of the event at a position: the same however often the event is made. */
export function eventId({ sequence, watcherId, type, ordinal }: EventPosition): string {
  return `evt_${hash('sha256', `${sequence} ${watcherId} ${type} ${ordinal}`, 'hex').slice(0, 24)}`;
}

/** In place of the number of a licence, where the listing is gone. */
const GONE = 0;

interface EventData {
  readonly json: string;
  readonly shown: readonly number[];
}

const contentKey = ({ sequence, listingId }: Pick<EventRow, 'sequence' | 'listingId'>): string =>
  `${sequence} ${listingId}`;

const namesJson = (list: string): string => JSON.stringify(list === '' ? [] : list.split(','));

/** Members of `data` that all events of a change share. */
function contentJson(
  { object, previous, changedFields, listingId, credits }: ContentRow,
  namesOf: (list: string) => string,
): string {
  const id = `{"id":"${listingId}"}`;
  const hidden = credits?.hiddenFields ?? [];
  const shown = object === null ? id : credited(withoutHidden(object, hidden), credits);
  const names = namesOf(
    changedFields
      .split(',')
      .filter((name) => !hidden.includes(name))
      .join(),
  );
  return `"object":${shown},"previous":${previous && withoutHidden(previous, hidden)},"changedFields":${names}`;
}

/** JSON of a listing, or of its former members, without what the terms of its source hide by now. */
const withoutHidden = (json: string, hidden: readonly string[]): string =>
  hidden.length === 0 ? json : JSON.stringify(hideMembers(JSON.parse(json), hidden));

/** The listing of a change with the line to display with it, and its age, as they are now. */
function credited(object: string, credits: CreditParts | null): string {
  if (credits === null) return object;
  return `${object.slice(0, object.lastIndexOf('}'))},${JSON.stringify(creditsOf(credits)).slice(1)}`;
}

const hiddenJson = (listingId: string): string =>
  `"object":{"id":"${listingId}"},"previous":null,"changedFields":[]`;

function aboutWatcherJson({ data, dropped }: EventRow): string {
  if (data === null) return '{}';
  return dropped === null ? data : JSON.stringify({ ...JSON.parse(data), dropped });
}

/** Bytes of the events in a digest: its URL has the others. */
const MAX_DIGEST_BYTES = 250_000;

/** Data of a digest, made when it is read: what was withdrawn since is not in it. */
function digestData({ data }: EventRow, events: readonly PresentedEvent[], url: string): EventData {
  const { count } = JSON.parse(data ?? '{}') as { readonly count: number };
  let bytes = 0;
  const sent = events.filter(({ json }) => {
    bytes += Buffer.byteLength(json);
    return bytes <= MAX_DIGEST_BYTES;
  });
  const json = `{"events":[${sent.map((event) => event.json).join()}],"count":${count},"url":"${url}"}`;
  return { json, shown: sent.flatMap((event) => event.shown) };
}

/** Most events of a page have the same few owners and names. */
function memoize(compute: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const value = known.get(text) ?? compute(text);
    known.set(text, value);
    return value;
  };
}
