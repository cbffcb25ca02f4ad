// Presenter of events: the JSON that readers get. What a change shows is encoded once for all its events.

import { hash } from 'node:crypto';
import { publicOwner } from '../../access/tiers/tiers.ts';
import { formatCursor } from './cursor.ts';
import type { EventPosition } from './event.ts';
import type { ContentRow, EventPage, EventRow } from './read-store.ts';

/** An event as it is sent. */
export interface PresentedEvent {
  readonly row: EventRow;
  readonly cursor: string;
  /** The event object. */
  readonly json: string;
}

/** The events of a page, in order. */
export function presentEvents({ rows, contents }: EventPage, publicUrl: string): PresentedEvent[] {
  const shown = new Map(contents.map((content) => [contentKey(content), contentJson(content)]));
  const ownerOf = memoize(publicOwner);
  return rows.map((row) => {
    const cursor = formatCursor(row);
    const data = row.listingId === null ? aboutWatcherJson(row) : listingJson(row, shown, publicUrl);
    const json =
      `{"id":"${eventId(row)}","object":"event","type":"${row.type}","apiVersion":"v1","timestamp":"${row.at}",` +
      `"sequence":${row.sequence},"cursor":"${cursor}","watcherId":${JSON.stringify(row.watcherId)},` +
      `"owner":"${ownerOf(row.owner)}","data":${data}}`;
    return { row, cursor, json };
  });
}

/** The id of the event at a position: the same however often the event is made. */
function eventId({ sequence, watcherId, type, ordinal }: EventPosition): string {
  return `evt_${hash('sha256', `${sequence} ${watcherId} ${type} ${ordinal}`, 'hex').slice(0, 24)}`;
}

const contentKey = ({ sequence, listingId }: Pick<EventRow, 'sequence' | 'listingId'>): string =>
  `${sequence} ${listingId}`;

const names = (list: string): string => JSON.stringify(list === '' ? [] : list.split(','));

/** Members of `data` that all events of a change share. */
function contentJson({ object, previous, changedFields, listingId }: ContentRow): string {
  const id = `{"id":${JSON.stringify(listingId)}}`;
  return `"object":${object ?? id},"previous":${previous},"changedFields":${names(changedFields)}`;
}

function listingJson(row: EventRow, shown: ReadonlyMap<string, string>, publicUrl: string): string {
  const { sequence, listingId, matchedOn } = row;
  const id = listingId ?? '';
  const content =
    shown.get(contentKey(row)) ??
    contentJson({ sequence, listingId: id, object: null, previous: null, changedFields: '' });
  const url = JSON.stringify(`${publicUrl}/v1/property/${id}`);
  return `{${content},"matchedOn":${names(matchedOn)},"url":${url}}`;
}

function aboutWatcherJson({ data, dropped }: EventRow): string {
  if (data === null) return '{}';
  return dropped === null ? data : JSON.stringify({ ...JSON.parse(data), dropped });
}

/** Most events of a page have few owners. */
function memoize(compute: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const value = known.get(text) ?? compute(text);
    known.set(text, value);
    return value;
  };
}
