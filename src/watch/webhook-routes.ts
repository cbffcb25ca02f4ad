// Routes of a watcher's webhooks: tested, and given new secrets.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { compileBody } from '../http/input/body.ts';
import { formatTime } from '../lib/clock.ts';
import { invalidMember, Problem } from '../lib/problem.ts';
import { type ChangeRequest, requireUnexpired, withLockedWatcher } from './change-watcher.ts';
import { WatcherParams } from './events/own-watcher.ts';
import type { WatcherOptions } from './resolve-target.ts';
import { isPausedByOwner, presentWatcher, type Watcher, watcherEtag } from './watcher.ts';
import { logWatchers } from './watcher-log.ts';
import { WatcherSchema } from './watcher-schema.ts';
import { pausedByOwner } from './webhooks/delivery-routes.ts';
import { requireKeyring, unknownWebhook } from './webhooks/register-webhooks.ts';
import { formatSecret, newSecret, parseSecret, SECRET_OVERLAP, type Webhook } from './webhooks/webhook.ts';
import { webhookMembers } from './webhooks/webhook-body.ts';
import { lockWebhooks, rotateSecret } from './webhooks/webhook-store.ts';

/** Body of a rotation; all of it is optional. */
const RotateSecretSchema = Type.Object(
  {
    webhookId: Type.Optional(
      Type.String({ maxLength: 60, description: 'Which webhook, where the watcher has more than one.' }),
    ),
    secret: Type.Optional(
      Type.String({
        maxLength: 200,
        description: '`whsec_` and 24 to 64 bytes in base64. Default: a new one.',
      }),
    ),
  },
  { $id: 'SecretRotation', additionalProperties: false },
);

/** Largest body of a rotation. */
const ROTATION_BYTES = 1_024;

const readRotation = compileBody(RotateSecretSchema);

const RotatedSecretSchema = Type.Object(
  {
    ...webhookMembers,
    secret: Type.String({ description: 'Shown here, and never again.' }),
    previousSecretExpiresAt: Type.String({
      format: 'date-time',
      description: 'Until then each delivery has two signatures, one with each secret.',
    }),
  },
  { $id: 'RotatedSecret' },
);

const common = {
  tag: 'Watchers',
  access: { credentials: 'required', scope: 'watchers', counts: 'month' },
  params: WatcherParams,
} as const;

const conflicts = {
  404: 'You have no watcher with this id',
  409: 'The watcher has no webhook that can be used, or has expired',
  412: 'The watcher is not at the version in If-Match',
};

export function webhookRoutes(options: WatcherOptions): readonly Route<Principal>[] {
  const define = route<Principal>();
  return [
    define({
      ...common,
      method: 'POST',
      path: '/v1/watchers/:id/test',
      operation: 'testWatcher',
      summary: 'Send a test to the webhooks of a watcher',
      description:
        'Sends a signed event `watcher.test` at once, also to a webhook that waits after failures; an answer with 2xx ends the wait. ' +
        'The list of deliveries shows the result.',
      answer: { status: 202, description: 'The watcher', schema: WatcherSchema },
      alsoAnswers: {
        ...conflicts,
        409: 'The watcher has no webhook that can be used, has expired, or is paused by you',
      },
      async handle({ params, caller, headers }) {
        const watcher = await testWebhooks(options, { id: params.id, caller, headers });
        return { status: 202, json: presentWatcher(watcher), headers: { etag: watcherEtag(watcher) } };
      },
    }),
    define({
      ...common,
      method: 'POST',
      path: '/v1/watchers/:id/rotate-secret',
      operation: 'rotateSecret',
      summary: 'Give a webhook a new secret',
      description:
        'For 24 hours each delivery is signed with the new secret and with the former one, so that a receiver can change over.',
      body: RotateSecretSchema,
      ownBody: 'optional',
      bodyBytes: ROTATION_BYTES,
      answer: { description: 'The webhook with its new secret', schema: RotatedSecretSchema },
      alsoAnswers: conflicts,
      async handle({ params, caller, headers, body }) {
        return { json: await rotateWebhookSecret(options, { id: params.id, caller, headers }, body) };
      },
    }),
  ];
}

/** Sends `watcher.test` to the webhooks of a watcher, at once. Throws CONFLICT where there is none to send it to. */
export async function testWebhooks(options: WatcherOptions, request: ChangeRequest): Promise<Watcher> {
  const { webhooks, clock } = options;
  return withLockedWatcher(options, request, async (tx, watcher) => {
    requireUnexpired(watcher);
    const enabled = requireWebhooks(watcher).filter(({ status }) => status !== 'disabled');
    if (enabled.length === 0)
      throw new Problem(
        'CONFLICT',
        'All webhooks of the watcher are disabled. Resume it: that tests them, too.',
      );
    if (isPausedByOwner(watcher)) throw pausedByOwner();
    requireKeyring(webhooks);
    webhooks.limits.take(
      watcher.owner,
      enabled.map(({ url }) => new URL(url)),
    );
    await logWatchers(tx, 'tested', [watcher], clock.now());
    return watcher;
  });
}

/** Gives a webhook a new secret. Throws INVALID_BODY, and CONFLICT for a watcher without webhooks. */
function rotateWebhookSecret(options: WatcherOptions, request: ChangeRequest, body: unknown) {
  const { webhooks, clock } = options;
  return withLockedWatcher(options, request, async (tx, watcher) => {
    const sent = readRotation(body ?? {}) as { readonly webhookId?: string; readonly secret?: string };
    const wanted = sent.secret === undefined ? newSecret() : parseSecret(sent.secret);
    if ('fault' in wanted) throw invalidMember('/secret', wanted.fault);
    requireUnexpired(watcher);
    const webhook = webhookOf(watcher, sent.webhookId);
    const stored = (await lockWebhooks(tx, watcher)).find(({ id }) => id === webhook.id);
    if (stored === undefined) throw unknownWebhook('/webhookId');
    const now = clock.now();
    const sealed = requireKeyring(webhooks).seal(wanted, watcher.id);
    const until = now + SECRET_OVERLAP;
    await rotateSecret(tx, stored, sealed, { now: new Date(now), until: new Date(until) });
    return { ...webhook, secret: formatSecret(wanted), previousSecretExpiresAt: formatTime(until) };
  });
}

function requireWebhooks({ delivery }: Watcher): readonly Webhook[] {
  if (delivery.length > 0) return delivery;
  throw new Problem(
    'CONFLICT',
    'The watcher has no webhook. Add one: PATCH /v1/watchers/{id} with `delivery`.',
  );
}

function webhookOf(watcher: Watcher, id: string | undefined): Webhook {
  const webhooks = requireWebhooks(watcher);
  const found = id === undefined ? webhooks[0] : webhooks.find((each) => each.id === id);
  if (found === undefined) throw unknownWebhook('/webhookId');
  if (id === undefined && webhooks.length > 1)
    throw invalidMember('/webhookId', `is required, since the watcher has ${webhooks.length} webhooks`);
  return found;
}
