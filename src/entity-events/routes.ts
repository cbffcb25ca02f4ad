// Route of events that RESO servers push (RCP-28): queued in the database and answered at once.

import { type Static, Type } from 'typebox';
import { EVENTS, type Principal } from '../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../http/frame/route.ts';
import type { Clock } from '../lib/clock.ts';
import { redact } from '../lib/log.ts';
import { Problem } from '../lib/problem.ts';
import type { Database } from '../postgres/client/database.ts';
import { findRegistered } from '../sources/registry/registry-store.ts';
import { EventBodySchema, parseEvents } from './event-body.ts';
import type { EventMetrics } from './event-metrics.ts';
import { enqueue } from './event-store.ts';

export interface EventRouteOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly eventMetrics: EventMetrics;
}

const EventParams = Type.Object({
  source: Type.String({ minLength: 1, maxLength: 63, description: 'The id of the source of your token.' }),
});

const ReceiptSchema = Type.Object(
  {
    object: Type.Literal('event_receipt'),
    received: Type.Integer({ description: 'Events of the body.' }),
    queued: Type.Integer({ description: 'Listings that are read again from their source, each once.' }),
    ignored: Type.Integer({
      description:
        'Events of resources other than Property: the rounds of changes bring what they are about.',
    }),
  },
  { $id: 'EventReceipt', description: 'What became of pushed events.' },
);

/** Seconds after which a server may try again when too many listings wait. */
const RETRY_AFTER = 60;
const MAX_SHOWN = 100;

type EventCall = RequestContext<Principal, Record<string, never>, Static<typeof EventParams>, unknown>;

export function entityEventRoutes(options: EventRouteOptions): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      tag: 'Push',
      access: { credentials: 'required', source: true, counts: 'push' },
      codes: ['CONFLICT'],
      method: 'POST',
      path: '/v1/sources/:source/events',
      operation: 'receiveEvents',
      summary: 'Push events of a RESO server',
      description:
        'For servers that push EntityEvents (RESO RCP-28): one event, or several as `value`. The listings that they name are ' +
        'read again from the source, soon and each once; a record that is no longer there ends its listing. The answer does not ' +
        'wait for that. Members that are not known are ignored, and so is what an event brings of its record. The header ' +
        '`EntityEventSource` is noted in the log. 429 with `Retry-After` where too many listings of the source wait.',
      params: EventParams,
      body: EventBodySchema,
      ownBody: 'value',
      bodyBytes: EVENTS.bodyBytes,
      answer: { description: 'The events are queued', schema: ReceiptSchema },
      alsoAnswers: { 409: 'The source is not one that this service reads from a RESO server' },
      handle: (call) => receive(options, call as EventCall),
    }),
  ];
}

async function receive({ database, clock, eventMetrics }: EventRouteOptions, call: EventCall) {
  const { caller, params, body, headers } = call;
  const source = params.source;
  if (caller.source?.id !== source)
    throw new Problem(
      'INSUFFICIENT_SCOPE',
      `This token is that of the source ${caller.source?.id}, and of no other.`,
    );
  const { entityeventsource: sentBy } = headers;
  if (typeof sentBy === 'string') call.note({ eventSource: redact(sentBy).slice(0, MAX_SHOWN) });
  await requireRead(database, source);
  const events = parseEvents(body);
  const keys = new Set(
    events.flatMap(({ ResourceName: name, ResourceRecordKey: key }) =>
      name.toLowerCase() === 'property' ? [key] : [],
    ),
  );
  const records = [...keys].map((key) => ({ resource: 'Property', key }));
  const bounds = { max: EVENTS.queued, now: new Date(clock.now()) };
  const isQueued = await database.transaction((tx) => enqueue(tx, source, records, bounds), {
    repeatable: true,
  });
  if (!isQueued) {
    eventMetrics.received(source, 'refused', events.length);
    throw tooMany();
  }
  const ignored = events.filter(({ ResourceName: name }) => name.toLowerCase() !== 'property').length;
  eventMetrics.received(source, 'queued', events.length - ignored);
  eventMetrics.received(source, 'ignored', ignored);
  return { json: { object: 'event_receipt', received: events.length, queued: records.length, ignored } };
}

/** Throws CONFLICT for a source whose listings this service cannot read. */
async function requireRead(database: Database, source: string): Promise<void> {
  const registered = await database.read((sql) => findRegistered(sql, source), { planned: 'once' });
  if (registered?.kind === 'reso' || registered?.kind === 'sample') return;
  throw new Problem(
    'CONFLICT',
    `This service reads nothing from the source ${source}: its listings are pushed or imported. PUT them whole, see docs/push.`,
  );
}

const tooMany = (): Problem =>
  new Problem(
    'RATE_LIMITED',
    `At most ${EVENTS.queued.toLocaleString('en-US')} listings of a source may wait to be read again. Send these events again in ${RETRY_AFTER} s.`,
    { headers: { 'retry-after': String(RETRY_AFTER) }, members: { violatedPolicies: ['events'] } },
  );
