// What is kept of a record as a server sent it, and what is not.

import type { RawRecord } from '../../../listings/raw-record.ts';
import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';

/** A record without members that differ each time it is sent, or must not be stored: `Media/MediaURL` is one of its children. */
export function stableRecord(record: UpstreamRecord, volatile: readonly string[]): UpstreamRecord {
  const present = volatile.filter((path) => Object.hasOwn(record, path.split('/', 1)[0] ?? path));
  if (present.length === 0) return record;
  const stable: Record<string, unknown> = { ...record };
  for (const path of present) {
    const [name = path, member] = path.split('/');
    const children = stable[name];
    if (member === undefined) delete stable[name];
    else if (Array.isArray(children)) stable[name] = children.map((child) => without(child, member));
  }
  return stable;
}

function without(child: unknown, member: string): unknown {
  if (!isRecord(child)) return child;
  const { [member]: _, ...rest } = child;
  return rest;
}

/** The resources that a record consists of: children that are read as resources stay where a later record has none. */
export function rawRecords(record: UpstreamRecord, resources: readonly string[]): readonly RawRecord[] {
  const rest: Record<string, unknown> = { ...record };
  const children = resources.flatMap((resource) => {
    const { [resource]: own } = record;
    delete rest[resource];
    return own === undefined ? [] : [{ resource, record: { [resource]: own } }];
  });
  return [{ resource: 'Property', record: rest }, ...children];
}

/** The record that consists of resources. */
export const wholeRecord = (sent: readonly RawRecord[]): UpstreamRecord =>
  Object.assign({}, ...sent.map(({ record }) => record)) as UpstreamRecord;
