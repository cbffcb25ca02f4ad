// Bodies of events as RESO servers push them (RCP-28): one event, or several in the common format. Pure.

import { type Static, Type } from 'typebox';
import { type FieldError, Problem } from '../lib/problem.ts';

const lenient = { additionalProperties: true };

const EventSchema = Type.Object(
  {
    EntityEventSequence: Type.Optional(
      Type.Number({
        description: 'Its place in the log of the server. It is not needed: the record is read as it is now.',
      }),
    ),
    ResourceName: Type.String({ minLength: 1, maxLength: 100, description: 'Such as Property.' }),
    ResourceRecordKey: Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Integer()], {
      description: 'The key of the record: of a Property its ListingKey.',
    }),
  },
  {
    ...lenient,
    $id: 'EntityEvent',
    description: 'A record of a RESO server was created, changed or removed.',
  },
);

export const EventBodySchema = Type.Union([
  EventSchema,
  Type.Object(
    {
      '@reso.context': Type.Optional(Type.String()),
      value: Type.Array(EventSchema),
    },
    lenient,
  ),
]);

/** An event, as far as it counts. */
export type EntityEvent = Pick<Static<typeof EventSchema>, 'ResourceName'> & {
  readonly ResourceRecordKey: string;
};

const MAX_ERRORS = 20;
const MAX_NAME = 100;
const MAX_KEY = 500;

/** The events of a body; members that are not known are passed over. Throws INVALID_BODY with a pointer for each fault. */
export function parseEvents(body: unknown): readonly EntityEvent[] {
  const errors: FieldError[] = [];
  const events: EntityEvent[] = [];
  const isList = isObject(body) && Array.isArray(body.value);
  for (const [at, item] of (isList ? (body.value as unknown[]) : [body]).entries()) {
    const event = parseEvent(item, isList ? `/value/${at}` : '', errors);
    if (event !== null) events.push(event);
    if (errors.length >= MAX_ERRORS) break;
  }
  if (errors.length === 0) return events;
  throw new Problem('INVALID_BODY', 'The body has events that cannot be read. None of them is queued.', {
    errors: errors.slice(0, MAX_ERRORS),
  });
}

function parseEvent(item: unknown, pointer: string, errors: FieldError[]): EntityEvent | null {
  if (!isObject(item)) {
    errors.push({ pointer, detail: 'must be an event: an object with ResourceName and ResourceRecordKey' });
    return null;
  }
  const { ResourceName: name, ResourceRecordKey: key } = item;
  const text = Number.isSafeInteger(key) ? String(key) : key;
  const isNamed = typeof name === 'string' && name !== '' && name.length <= MAX_NAME;
  const isKeyed = typeof text === 'string' && text !== '' && text.length <= MAX_KEY;
  if (!isNamed)
    errors.push({
      pointer: `${pointer}/ResourceName`,
      detail: `must be a text of at most ${MAX_NAME} characters`,
    });
  if (!isKeyed)
    errors.push({
      pointer: `${pointer}/ResourceRecordKey`,
      detail: `must be a text of at most ${MAX_KEY} characters, or a whole number`,
    });
  return isNamed && isKeyed ? { ResourceName: name, ResourceRecordKey: text } : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
