// Command `freehold subscriptions list`: who has a key, in which state, and how much it is used.

import type { Command } from 'commander';
import { monthOf } from '../../access/limits/monthly-quota.ts';
import {
  type ListedProviderSubscription,
  type ListedSubscription,
  listProviderSubscriptions,
  listWithUsage,
  type SubscriptionUsage,
} from '../../access/providers/subscription-list-store.ts';
import type { SubscriptionRow } from '../../access/providers/subscription-store.ts';
import { readConfig } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { withDatabase } from '../database.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, printJson, printTable } from '../output.ts';

export function addList(group: Command): void {
  group
    .command('list')
    .summary('list the subscriptions')
    .description(
      'Lists a thousand subscriptions with their usage of this month: the newest, or with a payment service those checked\n' +
        'last. Shows only the last four characters of keys. Plans without a monthly limit are not counted.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold subscriptions list', 'freehold subscriptions list --json'))
    .action(async ({ json }: { json?: true }) => {
      const config = readConfig();
      const { kind } = config.subscriptions;
      const month = monthOf(systemClock.now()).name;
      if (kind === 'local') {
        const rows = await withDatabase(config, (database) =>
          database.read((sql) => listWithUsage(sql, month)),
        );
        return json ? printJson({ subscriptions: rows.map(publicRow) }) : printOwn(rows);
      }
      const rows = await withDatabase(config, (database) =>
        database.read((sql) => listProviderSubscriptions(sql, kind, month)),
      );
      return json ? printJson({ subscriptions: rows.map(publicProviderRow) }) : printProviderRows(rows);
    });
}

function printOwn(rows: readonly ListedSubscription[]): void {
  printTable(
    ['ID', 'PLAN', 'KEY', 'STATE', 'CREATED', 'USED', 'LAST USE', 'CUSTOMER', 'LABEL'],
    rows.map((row) => [
      row.id,
      row.tier,
      `…${row.keyHint}`,
      stateOf(row),
      row.createdAt.slice(0, 10),
      ...usageCells(row),
      row.customer ?? '',
      row.label,
    ]),
    'There is none yet. Create one: `freehold subscriptions create --plan free`.',
  );
}

function printProviderRows(rows: readonly ListedProviderSubscription[]): void {
  printTable(
    ['ID', 'PLAN', 'KEY', 'STATE', 'CHECKED', 'USED', 'LAST USE', 'CUSTOMER'],
    rows.map((row) => [
      row.id,
      row.tier ?? '',
      row.keyHint === null ? '' : `…${row.keyHint}`,
      providerState(row),
      minuteOf(row.checkedAt),
      ...usageCells(row),
      row.customer ?? '',
    ]),
    'None has been used yet. `freehold billing sync` asks the payment service for all of them.',
  );
}

function usageCells({ usedThisMonth, lastUsedAt }: SubscriptionUsage): string[] {
  return [usedThisMonth === null ? '–' : count(usedThisMonth), minuteOf(lastUsedAt)];
}

/** `2026-11-23 14:05`, in UTC. */
function minuteOf(time: string | null): string {
  return time === null ? '–' : new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

export function publicRow<Row extends SubscriptionRow>({ tier, ...row }: Row) {
  return { ...row, plan: tier, state: stateOf({ ...row }) };
}

/** `active`, `ended`, `revoked`, or when it ends. */
export function stateOf({ endsAt, revokedAt }: Pick<SubscriptionRow, 'endsAt' | 'revokedAt'>): string {
  if (revokedAt !== null) return 'revoked';
  if (endsAt === null) return 'active';
  return Date.parse(endsAt) <= systemClock.now() ? 'ended' : `ends ${endsAt.slice(0, 10)}`;
}

function publicProviderRow({ tier, ...row }: ListedProviderSubscription) {
  return { ...row, plan: tier, state: providerState({ tier, ...row }) };
}

const WORDS: Readonly<Record<ListedProviderSubscription['state'], string>> = {
  active: 'active',
  expired: 'ended',
  unknown: 'refused',
  pending: 'unpaid yet',
  unchecked: 'never used',
};

function providerState(row: ListedProviderSubscription): string {
  if (row.state === 'active') return stateOf({ endsAt: row.endsAt, revokedAt: null });
  return row.reason === null ? WORDS[row.state] : `${WORDS[row.state]}: ${row.reason}`;
}
