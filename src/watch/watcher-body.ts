// Bodies that create and change watchers, parsed strictly: every fault names its member and the remedy.

import type { Cadence } from '../access/tiers/tiers.ts';
import { compileBody } from '../http/input/body.ts';
import { Faults } from '../http/input/faults.ts';
import { parseTime } from '../lib/clock.ts';
import { hasCredential } from '../lib/log.ts';
import { nearest } from '../lib/nearest.ts';
import { parseTimeZone } from '../lib/parse.ts';
import { invalidMember, Problem, pointerTo } from '../lib/problem.ts';
import { defaultEventsOf, type EventType, eventsOf, type TargetType } from './events/event-types.ts';
import { readMarketTarget } from './market-target.ts';
import type { TargetInput, Watcher } from './watcher.ts';
import { CREATE_SCHEMAS, METADATA, METADATA_KEY, WatcherUpdateSchema } from './watcher-schema.ts';

/** A parsed body of POST /v1/watchers. */
export interface WatcherInput {
  readonly target: TargetInput;
  readonly name: string | null;
  readonly events: readonly EventType[];
  /** Null: the fastest of the tier. */
  readonly requestedCadence: Cadence | null;
  /** Undefined: that of what is watched. */
  readonly timeZone: string | undefined;
  readonly backfill: boolean;
  /** Milliseconds. */
  readonly expiresAt: number | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Members of bodies as the schemas let them through. */
interface SentMembers {
  readonly target: TargetInput;
  readonly name?: string | null;
  readonly events?: readonly string[];
  readonly cadence?: Cadence | null;
  readonly timeZone?: string;
  readonly backfill?: boolean;
  readonly expiresAt?: string | null;
  readonly metadata?: Readonly<Record<string, string | null>>;
}

const READ_CREATE = {
  listing: compileBody(CREATE_SCHEMAS.listing),
  property: compileBody(CREATE_SCHEMAS.property),
  search: compileBody(CREATE_SCHEMAS.search),
  market: compileBody(CREATE_SCHEMAS.market),
};
const READ_UPDATE = compileBody(WatcherUpdateSchema);
const TARGET_TYPES = Object.keys(READ_CREATE) as TargetType[];

/** Parses the body of a new watcher; `now` in milliseconds. Throws INVALID_BODY. */
export function parseWatcher(body: unknown, now: number): WatcherInput {
  if (!isObject(body)) throw new Problem('INVALID_BODY', 'The body must be a JSON object.');
  refuseCredentials(body);
  checkMetadataKeys(body.metadata);
  const sent = READ_CREATE[targetTypeOf(body)](body) as SentMembers;
  const { name = null, cadence = null, backfill = false } = sent;
  const { type } = sent.target;
  const faults = new Faults();
  const target = faults.attempt(() =>
    sent.target.type === 'market' ? readMarketTarget({ ...sent.target }) : sent.target,
  );
  if (backfill && type === 'market')
    faults.add(invalidMember('/backfill', 'is of searches: a market watcher reports crossings from now on'));
  const { timeZone, events, expiresAt, metadata } = readMembers(faults, sent, { type, now, metadata: {} });
  faults.report();
  return {
    target: target ?? sent.target,
    name,
    requestedCadence: cadence,
    backfill,
    timeZone,
    events: events ?? defaultEventsOf(type),
    expiresAt: expiresAt ?? null,
    metadata,
  };
}

/** The members that have rules beyond the schema; their faults are kept. */
function readMembers(
  faults: Faults,
  sent: Omit<SentMembers, 'target'>,
  { type, now, metadata }: Pick<Watcher, 'metadata'> & { readonly type: TargetType; readonly now: number },
) {
  return {
    timeZone: faults.attempt(() => timeZoneOf(sent.timeZone)),
    events: faults.attempt(() => parseEvents(sent.events, type)),
    expiresAt: faults.attempt(() => parseExpiry(sent.expiresAt, now)),
    metadata: faults.attempt(() => mergeMetadata(metadata, sent.metadata)) ?? metadata,
  };
}

/** Members of a watcher after a change. */
export type WatcherUpdate = Pick<
  Watcher,
  'name' | 'events' | 'requestedCadence' | 'timeZone' | 'expiresAt' | 'metadata'
>;

/** Parses the body of a change. Throws INVALID_BODY. */
export function parseUpdate(body: unknown, watcher: Watcher, now: number): WatcherUpdate {
  if (!isObject(body)) throw new Problem('INVALID_BODY', 'The body must be a JSON object.');
  refuseCredentials(body);
  checkMetadataKeys(body.metadata);
  for (const name of ['target', 'backfill'])
    if (name in body)
      throw invalidMember(`/${name}`, 'cannot be changed; create another watcher and delete this one');
  const sent = READ_UPDATE(body) as Partial<SentMembers>;
  const faults = new Faults();
  const { type } = watcher.target;
  const read = readMembers(faults, sent, { type, now, metadata: watcher.metadata });
  faults.report();
  return {
    name: sent.name === undefined ? watcher.name : sent.name,
    events: read.events ?? watcher.events,
    requestedCadence: sent.cadence === undefined ? watcher.requestedCadence : sent.cadence,
    timeZone: read.timeZone ?? watcher.timeZone,
    expiresAt: read.expiresAt === undefined ? watcher.expiresAt : read.expiresAt,
    metadata: read.metadata,
  };
}

/** Watchers are stored and shown as they are written: a credential in one would be, too. */
function refuseCredentials(body: Readonly<Record<string, unknown>>): void {
  if (hasCredential(JSON.stringify(body)))
    throw new Problem(
      'INVALID_BODY',
      'The body contains an API key or token, which would be stored with the watcher. Send credentials in the Authorization header only.',
    );
}

function timeZoneOf(sent: string | undefined): string | undefined {
  if (sent === undefined) return undefined;
  const timeZone = parseTimeZone(sent);
  if (timeZone !== null) return timeZone;
  throw invalidMember(
    '/timeZone',
    'must be an IANA name such as America/Chicago',
    nearest(sent, Intl.supportedValuesOf('timeZone')),
  );
}

function targetTypeOf({ target }: Readonly<Record<string, unknown>>): TargetType {
  if (target === undefined)
    throw invalidMember(
      '/target',
      'is required: it says what to watch, such as {"type":"listing","listingId":"lst_…"}',
    );
  if (!isObject(target)) throw invalidMember('/target', 'must be an object with a type');
  const { type } = target;
  const known = TARGET_TYPES.find((each) => each === type);
  if (known !== undefined) return known;
  const detail = `must be one of ${TARGET_TYPES.join(', ')}`;
  const suggestion = typeof type === 'string' ? nearest(type, TARGET_TYPES) : undefined;
  throw invalidMember('/target/type', detail, suggestion);
}

function parseEvents(
  sent: readonly string[] | undefined,
  target: TargetType,
): readonly EventType[] | undefined {
  const possible = eventsOf(target);
  return sent?.map((name, at) => {
    const type = possible.find((each) => each === name);
    if (type !== undefined) return type;
    const what = target === 'property' ? 'a property' : `a ${target}`;
    throw invalidMember(
      `/events/${at}`,
      `names ${name.slice(0, 60)}, which a watcher of ${what} cannot send; it can send ${possible.join(', ')}`,
      nearest(name, possible),
    );
  });
}

/** Latest end: dates past it have no RFC 3339 form. */
const MAX_EXPIRY = Date.UTC(9999, 0);

function parseExpiry(sent: string | null | undefined, now: number): number | null | undefined {
  if (sent === undefined || sent === null) return sent;
  const at = parseTime(sent);
  if (at !== null && at > now && at < MAX_EXPIRY) return at;
  throw invalidMember('/expiresAt', 'must be a time in the future, such as 2030-01-31T12:00:00Z');
}

function checkMetadataKeys(metadata: unknown): void {
  if (!isObject(metadata)) return;
  const key = Object.keys(metadata).find((each) => !METADATA_KEY.test(each));
  if (key !== undefined)
    throw invalidMember(
      pointerTo(key, '/metadata'),
      `is not a key that metadata can have: 1 to ${METADATA.keyLength} characters, without line breaks`,
    );
}

function mergeMetadata(
  before: Readonly<Record<string, string>>,
  sent: Readonly<Record<string, string | null>> = {},
): Readonly<Record<string, string>> {
  const merged = Object.entries({ ...before, ...sent }).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  if (merged.length > METADATA.keys)
    throw invalidMember('/metadata', `has ${merged.length} keys; at most ${METADATA.keys} are allowed`);
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
