// Names and telephones of agents and offices, joined to listings that have their keys alone.

import type { ShownContact } from '../../../source.ts';
import { LiveError } from '../../../source.ts';
import { isRecord, type UpstreamRecord } from '../../mapping/decode.ts';
import { type Asking, batchesOf, readAll } from './by-keys.ts';
import { type ContactResource, joinsContacts } from './offered.ts';
import { contactsUrl } from './resource-queries.ts';

/** Fields of a listing, by the field of the agent or office that has the value. */
const FIELDS: Readonly<Record<ContactResource, Readonly<Record<string, string>>>> = {
  Member: {
    MemberFullName: 'ListAgentFullName',
    MemberFirstName: 'ListAgentFirstName',
    MemberLastName: 'ListAgentLastName',
    MemberMlsId: 'ListAgentMlsId',
    MemberPreferredPhone: 'ListAgentPreferredPhone',
    MemberDirectPhone: 'ListAgentDirectPhone',
    MemberMobilePhone: 'ListAgentMobilePhone',
    MemberOfficePhone: 'ListAgentOfficePhone',
    MemberEmail: 'ListAgentEmail',
  },
  Office: {
    OfficeName: 'ListOfficeName',
    OfficeMlsId: 'ListOfficeMlsId',
    OfficePhone: 'ListOfficePhone',
    OfficeEmail: 'ListOfficeEmail',
  },
};
const LISTING_KEYS: Readonly<Record<ContactResource, string>> = {
  Member: 'ListAgentKey',
  Office: 'ListOfficeKey',
};
const RESOURCES: readonly ContactResource[] = ['Member', 'Office'];
/** Agents and offices that are remembered. */
const MAX_KNOWN = 100_000;
/** Statuses of a server that has no such resource. */
const NONE: readonly (number | null)[] = [400, 404, 405, 501];

/** What is requested of an agent or an office. */
export const contactFields = (resource: ContactResource): readonly string[] => [
  `${resource}Key`,
  ...Object.keys(FIELDS[resource]),
];

type Fields = Readonly<Record<string, unknown>>;

export class ContactReader {
  /** Fields as a listing has them, by resource and key; null: the server has no such record. */
  readonly #known = new Map<string, Fields | null>();

  /** The records with what the server says of their agents and offices. Throws LiveError. */
  async complete(records: readonly UpstreamRecord[], asking: Asking): Promise<readonly UpstreamRecord[]> {
    let complete = records;
    for (const resource of RESOURCES.filter((each) => joinsContacts(asking.rules, each))) {
      await this.#learn(resource, records, asking);
      complete = complete.map((record) => this.#joined(resource, record));
    }
    return complete;
  }

  /** Nothing is known any more: what was taken in may not have been written. */
  forgetAll(): void {
    this.#known.clear();
  }

  /** Takes in records of agents or offices, and returns those of which anything that is shown is not as it was known. */
  changed(resource: ContactResource, records: readonly UpstreamRecord[]): ShownContact[] {
    return records.flatMap((record) => {
      const key = keyIn(record[`${resource}Key`]);
      if (key === null) return [];
      const before = this.#known.get(`${resource} ${key}`);
      const fields = shownFields(resource, record);
      this.#remember(`${resource} ${key}`, fields);
      return JSON.stringify(before) === JSON.stringify(fields)
        ? []
        : [{ kind: resource === 'Member' ? ('agent' as const) : ('office' as const), key }];
    });
  }

  async #learn(resource: ContactResource, records: readonly UpstreamRecord[], asking: Asking): Promise<void> {
    const keys = new Set(records.flatMap((record) => keyIn(record[LISTING_KEYS[resource]]) ?? []));
    const unknown = [...keys].filter((key) => !this.#known.has(`${resource} ${key}`));
    for (const batch of batchesOf(unknown, asking.rules.profile)) {
      const url = contactsUrl(asking.root, resource, batch, contactFields(resource), asking.rules);
      const found = await readAll(url, asking).catch((error: unknown) => {
        if (error instanceof LiveError && NONE.includes(error.status)) return null;
        throw error;
      });
      if (found === null) return;
      for (const key of batch) this.#remember(`${resource} ${key}`, null);
      this.changed(resource, found);
    }
  }

  #joined(resource: ContactResource, record: UpstreamRecord): UpstreamRecord {
    const key = keyIn(record[LISTING_KEYS[resource]]);
    const fields = key === null ? null : this.#known.get(`${resource} ${key}`);
    if (!isRecord(fields)) return record;
    // What the listing itself says counts.
    const missing = Object.entries(fields).filter(([field]) => (record[field] ?? null) === null);
    return { ...record, ...Object.fromEntries(missing) };
  }

  #remember(name: string, fields: Fields | null): void {
    this.#known.delete(name);
    this.#known.set(name, fields);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

function shownFields(resource: ContactResource, record: UpstreamRecord): Fields {
  return Object.fromEntries(
    Object.entries(FIELDS[resource]).flatMap(([own, field]) => {
      const value = record[own];
      return value === undefined || value === null ? [] : [[field, value] as const];
    }),
  );
}

/** A key as a text; null for what is none. */
export const keyIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null;
