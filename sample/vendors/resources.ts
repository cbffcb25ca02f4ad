// Resources that a vendor serves beside its listings: open houses, agents, offices, photos, and the log of events.

import { agentOf } from '../market/agents.ts';
import type { Listing } from '../market/listing.ts';
import { mediaOf } from '../market/media.ts';
import { openHousesOf } from '../market/open-houses.ts';
import type { Column, Columns } from '../odata/match.ts';
import type { Query } from '../odata/options.ts';
import { takePage } from '../odata/page.ts';
import { badRequest } from '../odata/problem.ts';
import type { View } from '../odata/property.ts';
import type { Clock } from '../world.ts';
import type { VendorLookups } from './lookups.ts';
import type { VendorRows } from './rows.ts';

export type ResourceRecord = Readonly<Record<string, unknown>>;

/** Types of the fields of resources that have no expansion of their own, by resource. */
export const RESOURCE_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EntityEvent: { EntityEventSequence: 'Int64', ResourceName: 'String', ResourceRecordKey: 'String' },
  Member: {
    MemberKey: 'String',
    MemberFullName: 'String',
    MemberPreferredPhone: 'String',
    MemberEmail: 'String',
    MemberLoginId: 'String',
    ModificationTimestamp: 'DateTimeOffset',
  },
  Office: {
    OfficeKey: 'String',
    OfficeName: 'String',
    OfficePhone: 'String',
    OfficeEmail: 'String',
    ModificationTimestamp: 'DateTimeOffset',
  },
};

/** Fields of a listing that are there only where agents, or offices, are no resource. */
const JOINED: Readonly<Record<string, RegExp>> = {
  Member: /^ListAgent(?!Key$)/,
  Office: /^ListOffice(?!Key$)/,
};

/** Whether a field of a listing is that of a resource. */
export const isOfResource = (field: string, resources: readonly string[]): boolean =>
  resources.includes(field) || resources.some((resource) => JOINED[resource]?.test(field));

interface ResourceParts {
  readonly listings: readonly Listing[];
  readonly view: View;
  readonly watermark: string;
  readonly size: number;
}

interface Event {
  readonly EntityEventSequence: number;
  readonly ResourceName: string;
  readonly ResourceRecordKey: string;
}

export class VendorResources {
  readonly #rows: VendorRows;
  readonly #lookups: VendorLookups;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** What was changed by hand, and when; null: it was removed. */
  readonly #changes = new Map<string, { readonly set: ResourceRecord | null; readonly at: number }>();
  readonly #events: Event[] = [];
  /** When each listing was last changed, as the log knows it. */
  #logged = new Map<string, number>();
  #sequence = 1_000;

  constructor(rows: VendorRows, lookups: VendorLookups, clock: Clock) {
    this.#rows = rows;
    this.#lookups = lookups;
    this.#clock = clock;
    this.#startedAt = clock() - 86_400_000;
  }

  /** Changes a record by hand, or removes it (null), and nothing of its listing; the log has an event of it. */
  change(resource: string, key: string, set: ResourceRecord | null): void {
    const name = `${resource} ${key}`;
    const before = this.#changes.get(name)?.set ?? {};
    this.#changes.set(name, { set: set === null ? null : { ...before, ...set }, at: this.#clock() });
    this.log(resource, key);
  }

  /** Adds an event to the log. Sequences have gaps. */
  log(ResourceName: string, ResourceRecordKey: string): void {
    this.#sequence += 1 + (this.#events.length % 3);
    this.#events.push({ EntityEventSequence: this.#sequence, ResourceName, ResourceRecordKey });
  }

  /** The records of a resource as they are now; `watermark` moves with their changes. */
  #recordsOf(
    resource: string,
    listings: readonly Listing[],
    view: View,
    watermark: string,
  ): ResourceRecord[] {
    if (resource === 'EntityEvent') return this.#logOf(listings);
    if (resource === 'Lookup') return this.#lookups.rows();
    const records = plainRecords(resource, listings, view);
    return records.flatMap((record) => {
      const changed = this.#changes.get(`${resource} ${String(record[`${resource}Key`])}`);
      if (changed?.set === null) return [];
      const stated = record.ModificationTimestamp ?? new Date(this.#startedAt).toISOString();
      const at = changed === undefined ? stated : new Date(changed.at).toISOString();
      return [{ ...record, ...changed?.set, ModificationTimestamp: at, [watermark]: at }];
    });
  }

  /** A page of a resource. */
  page(
    resource: string,
    query: Query,
    { listings, view, watermark, size }: ResourceParts,
  ): { readonly records: readonly ResourceRecord[]; readonly skipToken: string | null } {
    const records = this.#recordsOf(resource, listings, view, watermark);
    const key = resource === 'EntityEvent' ? 'EntityEventSequence' : `${resource}Key`;
    const { rows, skipToken } = takePage(
      records,
      query,
      resourceColumns(resource, records[0]),
      key,
      size,
      size,
    );
    const { select } = query;
    const sent = (record: ResourceRecord) =>
      select === null ? record : Object.fromEntries(select.map((name) => [name, record[name] ?? null]));
    return { records: rows.map(sent), skipToken };
  }

  #logOf(listings: readonly Listing[]): ResourceRecord[] {
    const now = new Map(listings.map((listing) => [listing.key, this.#rows.stampOf(listing)]));
    for (const key of this.#logged.keys()) if (!now.has(key)) this.log('Property', key);
    for (const [key, stamp] of now) if (this.#logged.get(key) !== stamp) this.log('Property', key);
    this.#logged = now;
    return this.#events.map((event) => ({ ...event }));
  }
}

function plainRecords(resource: string, listings: readonly Listing[], view: View): ResourceRecord[] {
  const each = (read: (listing: Listing) => readonly ResourceRecord[]) => listings.flatMap(read);
  switch (resource) {
    case 'Media':
      return each((listing) => mediaOf(listing, view).map((medium) => ({ ...medium })));
    case 'OpenHouse':
      return each((listing) => openHousesOf(listing, view));
    case 'Member':
      return distinct(
        'MemberKey',
        each((listing) => [memberOf(listing)]),
      );
    case 'Office':
      return distinct(
        'OfficeKey',
        each((listing) => [officeOf(listing)]),
      );
    default:
      return [];
  }
}

const distinct = (key: string, records: readonly ResourceRecord[]): ResourceRecord[] => [
  ...new Map(records.map((record) => [record[key], record])).values(),
];

function memberOf(listing: Listing): ResourceRecord {
  const { key, firstName, lastName, phone, email } = agentOf(listing.agent);
  return {
    MemberKey: key,
    MemberFullName: `${firstName} ${lastName}`,
    MemberPreferredPhone: phone,
    MemberEmail: email,
    MemberLoginId: 'a',
  };
}

function officeOf(listing: Listing): ResourceRecord {
  const { key, name, phone, email } = agentOf(listing.agent).office;
  return { OfficeKey: key, OfficeName: name, OfficePhone: phone, OfficeEmail: email };
}

/** Columns of a resource for filters and orders. */
const resourceColumns =
  (resource: string, sample: ResourceRecord | undefined): Columns<ResourceRecord> =>
  (name) => {
    if (sample !== undefined && !(name in sample)) throw badRequest(`${resource} has no field ${name}`);
    return columnOf(name);
  };

function columnOf(name: string): Column<ResourceRecord> {
  if (name.endsWith('Timestamp') || name.endsWith('Time'))
    return column(name, 'DateTimeOffset', (value) => Date.parse(String(value)));
  if (name.endsWith('Date')) return column(name, 'Date', String);
  return name === 'EntityEventSequence' ? column(name, 'Int64', Number) : column(name, 'String', String);
}

const column = (
  name: string,
  type: Column<ResourceRecord>['type'],
  convert: (value: unknown) => string | number,
): Column<ResourceRecord> => ({
  name,
  type,
  many: false,
  read: (record) => (record[name] === null || record[name] === undefined ? null : convert(record[name])),
});
