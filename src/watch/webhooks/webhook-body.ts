// Member `delivery` of a watcher's body: its schemas, and its parser.

import { type TSchema, Type } from 'typebox';
import { invalidMember } from '../../lib/problem.ts';
import { MAX_WEBHOOKS, parseSecret, WEBHOOK_STATUSES, type WebhookStatus } from './webhook.ts';
import { MAX_URL_LENGTH, parseWebhookUrl } from './webhook-access.ts';

/** A webhook as a body asks for it. */
export interface WebhookInput {
  /** Of a webhook that is there already; null: found by its URL, else it is new. */
  readonly id: string | null;
  readonly url: URL;
  /** Null: the one that it has, or a new one. */
  readonly secret: Buffer | null;
}

const MAX_SECRET_LENGTH = 200;

const entryWith = (members: Readonly<Record<string, TSchema>>) =>
  Type.Object(
    {
      type: Type.Unsafe<'webhook'>({ type: 'string', enum: ['webhook'] }),
      url: Type.String({
        minLength: 1,
        maxLength: MAX_URL_LENGTH,
        description:
          'Where events are sent: https, and a host with public addresses only. Redirects are not followed.',
      }),
      ...members,
    },
    { additionalProperties: false },
  );

const secret = Type.Optional(
  Type.String({
    maxLength: MAX_SECRET_LENGTH,
    description:
      'Signs every delivery (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64. Default: a new one. It is shown in ' +
      'this answer, and never again.',
  }),
);

const listOf = (entry: TSchema, description: string) =>
  Type.Array(entry, { maxItems: MAX_WEBHOOKS, description });

/** At the creation of a watcher. */
export const DeliveryCreateSchema = listOf(
  entryWith({ secret }),
  `Webhooks that get the events, at most ${MAX_WEBHOOKS}. Each is sent \`watcher.test\` first, and gets events once it has ` +
    'answered that with 2xx.',
);

/** In a change of a watcher. */
export const DeliveryUpdateSchema = listOf(
  entryWith({
    id: Type.Optional(
      Type.String({
        maxLength: 60,
        description: 'Of a webhook that is there: it gets this URL and keeps its secret.',
      }),
    ),
    secret,
  }),
  'All webhooks from now on: those that are missing are removed. One with a URL that is there already stays as it is.',
);

const statusSchema = Type.Unsafe<WebhookStatus>({
  type: 'string',
  enum: [...WEBHOOK_STATUSES],
  description:
    '`unverified`: gets `watcher.test` alone, until one was answered with 2xx. `failing`: the last attempt failed, others ' +
    'follow. `disabled`: gets nothing; resume the watcher to try again.',
});

/** A webhook in answers. */
export const webhookMembers = {
  id: Type.String(),
  type: Type.Literal('webhook'),
  url: Type.String(),
  status: statusSchema,
  lastSuccessAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
};

export const WebhookSchema = Type.Object(
  {
    ...webhookMembers,
    secret: Type.Optional(
      Type.String({ description: 'Only in the answer to the request that added the webhook. Store it.' }),
    ),
  },
  { $id: 'Webhook', description: 'A webhook of a watcher.' },
);

/** An entry as the schemas let it through. */
interface SentEntry {
  readonly id?: string;
  readonly url: string;
  readonly secret?: string;
}

/** The webhooks of a body that its schema has let through; undefined: it does not speak of them. Throws INVALID_BODY. */
export function deliveryOf(body: unknown): readonly WebhookInput[] | undefined {
  const { delivery } = Object(body) as { readonly delivery?: readonly SentEntry[] };
  const inputs = delivery?.map(parseEntry);
  if (inputs === undefined) return undefined;
  for (const member of ['url', 'id'] as const) {
    const values = inputs.map((input) => (member === 'url' ? input.url.href : input.id));
    const at = values.findIndex((value, index) => value !== null && values.indexOf(value) < index);
    if (at >= 0)
      throw invalidMember(`/delivery/${at}/${member}`, 'repeats that of another webhook in the list');
  }
  return inputs;
}

function parseEntry({ id, url, secret: text }: SentEntry, at: number): WebhookInput {
  const parsed = parseWebhookUrl(url);
  if ('fault' in parsed) throw invalidMember(`/delivery/${at}/url`, parsed.fault);
  const bytes = text === undefined ? null : parseSecret(text);
  if (bytes !== null && 'fault' in bytes) throw invalidMember(`/delivery/${at}/secret`, bytes.fault);
  return { id: id ?? null, url: parsed, secret: bytes };
}
