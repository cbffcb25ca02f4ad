// Command `freehold billing status`: whether the payment service answers, what is known of it, and what waits.

import type { Command } from 'commander';
import { type EventRow, findOldestWaiting, listEvents } from '../../billing/event-store.ts';
import {
  countIssuedKeys,
  countWaiting,
  type IssuedKeyCounts,
  type SubscriptionSummary,
  summarizeSubscriptions,
} from '../../billing/status-store.ts';
import { readConfig } from '../../config.ts';
import { EXIT } from '../failure.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, emphasis, print, printJson } from '../output.ts';
import { duration } from '../progress-line.ts';
import { type CommandPayments, knock, NO_PROVIDER, type Reception, withPaymentService } from './payments.ts';

export function addStatus(group: Command): void {
  group
    .command('status')
    .summary('show the state of everything')
    .description(
      'Shows whether the payment service accepts the credentials, what is remembered of its subscriptions, the keys that this\n' +
        'service issued for it, subscriptions that have no key yet, and events that wait. Changes nothing.\n' +
        'Exits with code 1 if the payment service does not accept the credentials or does not answer.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold billing status', 'freehold billing status --json'))
    .action(async ({ json }: { json?: true }) => {
      const { kind } = readConfig().subscriptions;
      if (kind === 'local') {
        if (json) printJson({ provider: kind });
        else print(process.stdout, NO_PROVIDER);
        return;
      }
      const status = await withPaymentService(readStatus);
      if (json) printJson(viewOf(status));
      else print(process.stdout, textOf(status));
      if (status.credentials.state !== 'accepted') process.exitCode = EXIT.failed;
    });
}

interface BillingStatus {
  readonly provider: 'polar' | 'stripe';
  readonly apiUrl: string;
  readonly credentials: Reception;
  readonly subscriptions: readonly SubscriptionSummary[];
  /** Null: the payment service issues the keys. */
  readonly issuedKeys: IssuedKeyCounts | null;
  /** Subscriptions in force that no key goes with; null: nobody knows. */
  readonly withoutKey: readonly string[] | null;
  readonly waiting: number;
  /** Milliseconds; null: none waits. */
  readonly oldestWaiting: number | null;
  /** Those that failed last. */
  readonly failing: readonly EventRow[];
}

const MAX_FAILING = 5;

async function readStatus({
  config,
  database,
  provider,
  service,
  stripe,
}: CommandPayments): Promise<BillingStatus> {
  const credentials = await knock(service);
  const isIssuer = stripe !== null;
  const waiting = await database.read((sql) => listEvents(sql, { provider, isWaiting: true, max: 100 }));
  return {
    provider,
    credentials,
    apiUrl: config.subscriptions.kind === 'local' ? '' : config.subscriptions.apiUrl,
    subscriptions: await database.read((sql) => summarizeSubscriptions(sql, provider)),
    issuedKeys: isIssuer ? await database.read((sql) => countIssuedKeys(sql, provider)) : null,
    withoutKey: isIssuer && credentials.state === 'accepted' ? await findWithoutKey(service) : null,
    waiting: await database.read((sql) => countWaiting(sql, provider)),
    oldestWaiting: await database.read((sql) => findOldestWaiting(sql, provider)),
    failing: waiting.filter(({ lastError }) => lastError !== null).slice(0, MAX_FAILING),
  };
}

/** Subscriptions that were made elsewhere, such as by hand at the payment service. */
async function findWithoutKey(service: CommandPayments['service']): Promise<readonly string[]> {
  const found: string[] = [];
  await service.listAll(async (page) => {
    for (const { reference, keyHash, status } of page)
      if (keyHash === null && status.state === 'active') found.push(reference);
  }, new AbortController().signal);
  return found;
}

const commandFor = (reference: string) => `freehold subscriptions create --for ${reference}`;

function viewOf(status: BillingStatus) {
  const { subscriptions, withoutKey, waiting, oldestWaiting, failing, ...others } = status;
  return {
    ...others,
    subscriptions: subscriptions.map(({ oldest, ...summary }) => ({
      ...summary,
      oldestSeconds: secondsOf(oldest),
    })),
    withoutKey: withoutKey?.map((reference) => ({ reference, command: commandFor(reference) })) ?? null,
    events: {
      waiting,
      oldestSeconds: oldestWaiting === null ? null : secondsOf(oldestWaiting),
      failing: failing.map(({ id, type, attempts, dueAt, lastError }) => ({
        id,
        type,
        attempts,
        dueAt,
        lastError,
      })),
    },
  };
}

function textOf(status: BillingStatus): string {
  const { provider, apiUrl, credentials, subscriptions, issuedKeys, withoutKey, failing } = status;
  const line = (name: string, text: string) => `${name.padEnd(14)}  ${text}`;
  const isGood = credentials.state === 'accepted';
  const reception = isGood ? 'accepted' : `${credentials.state}: ${credentials.error}`;
  return [
    line('Provider', `${provider}, ${apiUrl}`),
    line('Credentials', emphasis(isGood ? 'good' : 'error', reception)),
    ...(subscriptions.length === 0 ? [line('Remembered', 'no subscription yet')] : []),
    ...subscriptions.map((each, at) => line(at === 0 ? 'Remembered' : '', summaryText(each))),
    ...(issuedKeys === null ? [] : [line('Issued keys', keysText(issuedKeys))]),
    ...(withoutKey === null
      ? []
      : withoutKeyLines(withoutKey).map((text, at) => line(at === 0 ? 'Without a key' : '', text))),
    line('Events', eventsText(status)),
    ...failing.map(({ id, type, lastError }) => line('', `${id}  ${type}  ${lastError}`)),
  ].join('\n');
}

function summaryText({ state, reason, count: number, oldest }: SubscriptionSummary): string {
  const what = reason === null ? state : `${state} (${reason})`;
  return `${count(number)} ${what}, asked about in the last ${duration(Math.max(0, oldest) / 1_000)}`;
}

const keysText = ({ active, pending, ended }: IssuedKeyCounts) =>
  `${count(active)} active, ${count(pending)} pending, ${count(ended)} ended`;

/** Subscriptions that are shown by name. */
const MAX_SHOWN = 20;

function withoutKeyLines(references: readonly string[]): readonly string[] {
  const more = references.length - MAX_SHOWN;
  const shown = references.slice(0, MAX_SHOWN).map(commandFor);
  const first =
    references.length === 0 ? 'none' : `${count(references.length)} made elsewhere; to issue a key:`;
  return [first, ...shown, ...(more > 0 ? [`and ${count(more)} more: --json lists all`] : [])];
}

function eventsText({ waiting, oldestWaiting }: BillingStatus): string {
  if (oldestWaiting === null) return 'none waits';
  return `${count(waiting)} waiting, the oldest for ${duration(oldestWaiting / 1_000)}`;
}

const secondsOf = (milliseconds: number): number => Math.max(0, Math.round(milliseconds / 1_000));
