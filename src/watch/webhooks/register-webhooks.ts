// Registration of webhooks: URLs judged before the transaction that writes them, secrets sealed in it.

import type { AnswerSealing } from '../../access/idempotency/answer-once.ts';
import { CannotOpen, type Keyring } from '../../lib/keyring.ts';
import { invalidMember, Problem } from '../../lib/problem.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import { formatSecret, newSecret, newWebhookId, type Webhook } from './webhook.ts';
import type { WebhookAccess, WebhookUrl } from './webhook-access.ts';
import type { WebhookInput } from './webhook-body.ts';
import type { WebhookLimits } from './webhook-limits.ts';
import {
  insertWebhooks,
  lockWebhooks,
  type NewWebhook,
  type StoredWebhook,
  updateWebhooks,
  type WebhookMove,
  type WebhookWatcher,
} from './webhook-store.ts';

export interface WebhookParts {
  readonly access: Pick<WebhookAccess, 'check'>;
  /** Seals secrets; null: the operator has set no key. */
  readonly keyring: Keyring | null;
  readonly limits: WebhookLimits;
}

/** Judged URLs, by their normal form. */
export type JudgedUrls = ReadonlyMap<string, WebhookUrl>;

/** The key ring. Throws WEBHOOKS_UNAVAILABLE where there is none. */
export function requireKeyring({ keyring }: Pick<WebhookParts, 'keyring'>): Keyring {
  if (keyring !== null) return keyring;
  throw unavailable(
    'The operator has not set SECRETS_KEY, which webhooks need. Leave delivery out: GET /v1/events and the feeds have every event.',
  );
}

/** Only the operator can change it: five minutes. */
const unavailable = (detail: string, cause?: unknown): Problem =>
  new Problem('WEBHOOKS_UNAVAILABLE', detail, { cause, headers: { 'retry-after': '300' } });

/** The wanted webhooks of a watcher of this owner. */
export interface WantedWebhooks {
  readonly owner: string;
  readonly inputs: readonly WebhookInput[];
  /** Those that the watcher has already. */
  readonly present: readonly Webhook[];
}

/**
 * Judges the URLs of webhooks, except those that the watcher has already, and does the work with them. What the work refuses does
 * not count against the limits. Throws WEBHOOKS_UNAVAILABLE, RATE_LIMITED, and INVALID_BODY for a URL that webhooks cannot have.
 */
export async function withJudgedUrls<T>(
  parts: WebhookParts,
  { owner, inputs, present }: WantedWebhooks,
  work: (judged: JudgedUrls) => Promise<T>,
): Promise<T> {
  const added = inputs
    .map((input, at) => ({ at, url: input.url, known: findPresent(present, inputs, input) }))
    .filter(({ url, known }) => known?.url !== url.href);
  if (added.length === 0) return work(new Map());
  requireKeyring(parts);
  const urls = added.map(({ url }) => url);
  parts.limits.take(owner, urls);
  const judged = await Promise.all(
    added.map(async ({ url, at }) => {
      const result = await parts.access.check(url);
      if ('fault' in result) throw invalidMember(`/delivery/${at}/url`, result.fault);
      return [url.href, result] as const;
    }),
  );
  try {
    return await work(new Map(judged));
  } catch (error) {
    parts.limits.giveBack(owner, urls);
    throw error;
  }
}

/** Webhooks of a new watcher. */
export interface CreatedWebhooks {
  readonly delivery: readonly Webhook[];
  /** To show, by the places of their webhooks. */
  readonly secrets: ReadonlyMap<number, string>;
}

/** Writes the webhooks of a new watcher. */
export async function createWebhooks(
  parts: WebhookParts,
  tx: Transaction,
  { watcher, inputs, judged, now }: WebhookList,
): Promise<CreatedWebhooks> {
  const added = inputs.map((input, place) => prepare(parts, watcher, judged, { input, place }));
  await insertWebhooks(
    tx,
    watcher,
    added.map(({ webhook }) => webhook),
    { now, isNew: true },
  );
  const delivery = added.map(({ webhook: { id, url } }): Webhook => {
    return { id, type: 'webhook', url, status: 'unverified', lastSuccessAt: null };
  });
  return { delivery, secrets: secretsOf(added) };
}

/** What the change of a list did. */
export interface ReplacedWebhooks {
  readonly isChanged: boolean;
  /** Whether a URL is new, and has to be proved. */
  readonly isVerifying: boolean;
  /** To show, by the places of their webhooks. */
  readonly secrets: ReadonlyMap<number, string>;
}

/** A wanted list of webhooks. */
export interface WebhookList {
  readonly watcher: WebhookWatcher;
  readonly inputs: readonly WebhookInput[];
  readonly judged: JudgedUrls;
  readonly now: Date;
}

/**
 * Replaces the webhooks of a watcher by a list: those that are named by id or URL stay. Throws INVALID_BODY for an unknown id or a
 * secret for a webhook that has one, CONFLICT if the list changed while the URLs were judged.
 */
export async function replaceWebhooks(
  parts: WebhookParts,
  tx: Transaction,
  { watcher, inputs, judged, now }: WebhookList,
): Promise<ReplacedWebhooks> {
  const stored = await lockWebhooks(tx, watcher);
  const moves: WebhookMove[] = [];
  const added: PreparedWebhook[] = [];
  for (const [place, input] of inputs.entries()) {
    const known = findPresent(stored, inputs, input);
    if (known === undefined) {
      if (input.id !== null) throw unknownWebhook(`/delivery/${place}/id`);
      added.push(prepare(parts, watcher, judged, { input, place }));
      continue;
    }
    requireSameSecret(parts, watcher, known, { input, place });
    const isMoved = known.url !== input.url.href;
    moves.push({ no: known.no, place, url: isMoved ? judgedUrl(judged, input) : null });
  }
  await updateWebhooks(tx, watcher, moves, now);
  await insertWebhooks(
    tx,
    watcher,
    added.map(({ webhook }) => webhook),
    { now, isNew: false },
  );
  const isVerifying = added.length > 0 || moves.some(({ url }) => url !== null);
  const isOrdered = stored.every(({ no }, at) => moves[at]?.no === no);
  return { isChanged: isVerifying || !isOrdered, isVerifying, secrets: secretsOf(added) };
}

/** The webhook that an entry means: by its id, else by its URL, unless another entry names that one by its id. */
function findPresent<Present extends Pick<Webhook, 'id' | 'url'>>(
  present: readonly Present[],
  inputs: readonly WebhookInput[],
  { id, url }: WebhookInput,
): Present | undefined {
  if (id !== null) return present.find((each) => each.id === id);
  return present.find((each) => each.url === url.href && !inputs.some((other) => other.id === each.id));
}

/** A 400 for the id of a webhook that the watcher does not have. */
export const unknownWebhook = (pointer: string): Problem =>
  invalidMember(pointer, 'names no webhook of this watcher; its `delivery` lists them');

/** An entry of the list, and its place. */
interface PlacedInput {
  readonly input: WebhookInput;
  readonly place: number;
}

interface PreparedWebhook {
  readonly webhook: NewWebhook;
  /** As it is shown. */
  readonly secret: string;
}

function prepare(
  parts: WebhookParts,
  watcher: WebhookWatcher,
  judged: JudgedUrls,
  { input, place }: PlacedInput,
): PreparedWebhook {
  const secret = input.secret ?? newSecret();
  const sealed = requireKeyring(parts).seal(secret, watcher.id);
  const webhook = { ...judgedUrl(judged, input), id: newWebhookId(), place, secret: sealed };
  return { webhook, secret: formatSecret(secret) };
}

function judgedUrl(judged: JudgedUrls, { url }: WebhookInput): WebhookUrl {
  const found = judged.get(url.href);
  if (found !== undefined) return found;
  throw new Problem(
    'CONFLICT',
    'The webhooks of the watcher have changed meanwhile. Send the request again.',
  );
}

/** A secret that is sent again with its webhook is no change; another one is, and has a request of its own. */
function requireSameSecret(
  parts: WebhookParts,
  watcher: WebhookWatcher,
  { secret }: StoredWebhook,
  { input, place }: PlacedInput,
): void {
  if (input.secret === null || openSecret(requireKeyring(parts), secret, watcher.id).equals(input.secret))
    return;
  throw invalidMember(
    `/delivery/${place}/secret`,
    'cannot be changed here; POST /v1/watchers/{id}/rotate-secret changes it, and both secrets sign for a day',
  );
}

/** The bytes of a stored secret. Throws WEBHOOKS_UNAVAILABLE if it was sealed with another key. */
export function openSecret(keyring: Keyring, sealed: Buffer, context: string): Buffer {
  try {
    return keyring.open(sealed, context);
  } catch (cause) {
    if (!(cause instanceof CannotOpen)) throw cause;
    const detail = 'A secret was sealed with another key than the operator’s SECRETS_KEY. Try again later.';
    throw unavailable(detail, cause);
  }
}

/** Seals answers that show secrets of webhooks. */
export const answerSealing = (parts: Pick<WebhookParts, 'keyring'>): AnswerSealing => ({
  seal: (body, context) => requireKeyring(parts).seal(body, context),
  open: (sealed, context) => openSecret(requireKeyring(parts), sealed, context),
});

const secretsOf = (added: readonly PreparedWebhook[]): ReadonlyMap<number, string> =>
  new Map(added.map(({ webhook, secret }) => [webhook.place, secret]));
