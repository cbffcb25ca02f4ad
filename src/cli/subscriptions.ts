// Command `freehold subscriptions`: the keys that this service issues, their plans and their ends.

import type { Command } from 'commander';
import type { LocalSubscriptions, SubscriptionRow } from '../access/providers/subscription-store.ts';
import { createLocalSubscriptions } from '../access/providers/subscription-store.ts';
import { PLANS, type Plan } from '../access/tiers/tiers.ts';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { INIT_OPTION, type OpenOptions, withDatabase } from './database.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { examples, JSON_OPTION, momentArgument, planArgument } from './options.ts';
import { emphasis, print, printJson, printTable } from './output.ts';

const LONGEST_LABEL = 200;

export function addSubscriptions(program: Command): void {
  const group = program
    .command('subscriptions')
    .summary('issue API keys, change and end them')
    .description(
      'Issues API keys, changes their plans and ends them. Takes effect in a running service at once.',
    )
    .addHelpText(
      'after',
      examples(
        'freehold subscriptions create --plan pro --label "Acme Homes"',
        'freehold subscriptions list',
        'freehold subscriptions change sub_0123456789abcdef01234567 --plan business',
        'freehold subscriptions end sub_0123456789abcdef01234567 --at 2099-12-31',
      ),
    );
  addCreate(group);
  addList(group);
  addChanges(group);
}

interface CreateOptions {
  readonly plan: Plan;
  readonly label?: string;
  readonly endsAt?: Date;
  readonly init?: true;
  readonly json?: true;
}

function addCreate(group: Command): void {
  group
    .command('create')
    .summary('issue a key')
    .description(
      'Creates a subscription and prints its key. The key is shown only once: only its hash is stored.',
    )
    .requiredOption('--plan <plan>', PLANS.join(', '), planArgument)
    .option('--label <text>', 'name of the subscription, for people')
    .option('--ends-at <moment>', 'a date or an RFC 3339 time; default: no end', momentArgument)
    .option(...INIT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        'freehold subscriptions create --plan pro --label "Acme Homes"',
        'freehold subscriptions create --plan free --ends-at 2099-12-31 --json',
      ),
    )
    .action(async ({ json, init, ...wanted }: CreateOptions) => {
      if ((wanted.label?.length ?? 0) > LONGEST_LABEL) {
        throw new CommandFailure(`--label may have at most ${LONGEST_LABEL} characters.`, EXIT.usage);
      }
      requireFuture('--ends-at', wanted.endsAt, 'without it, the subscription has no end');
      const issued = await withSubscriptions((subscriptions) => subscriptions.create(wanted), { init });
      if (json) return printJson({ ...issued, plan: wanted.plan });
      print(process.stdout, `Subscription  ${issued.id} (${wanted.plan})`);
      print(process.stdout, `Key           ${emphasis('key', issued.key)}`);
      print(process.stderr, 'Store the key now: it is not shown again.');
    });
}

function addList(group: Command): void {
  group
    .command('list')
    .summary('list the subscriptions')
    .description('Lists the newest thousand subscriptions. Shows only the last four characters of keys.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold subscriptions list', 'freehold subscriptions list --json'))
    .action(async ({ json }: { json?: true }) => {
      const rows = await withSubscriptions((subscriptions) => subscriptions.list());
      if (json) return printJson({ subscriptions: rows.map(publicRow) });
      printTable(
        ['ID', 'PLAN', 'KEY', 'STATE', 'CREATED', 'LABEL'],
        rows.map(cells),
        'There is none yet. Create one: `freehold subscriptions create --plan free`.',
      );
    });
}

type Change = (subscriptions: LocalSubscriptions) => Promise<SubscriptionRow | undefined>;

function addChanges(group: Command): void {
  group
    .command('change <id>')
    .summary('change the plan')
    .description('Changes the plan of a subscription, from its next request on.')
    .requiredOption('--plan <plan>', PLANS.join(', '), planArgument)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold subscriptions change sub_0123456789abcdef01234567 --plan business'),
    )
    .action((id: string, { plan, json }: { plan: Plan; json?: true }) =>
      change(id, json, (subscriptions) => subscriptions.changePlan(id, plan)),
    );
  group
    .command('end <id>')
    .summary('end a subscription')
    .description('Ends a subscription now or at a given time; its key is then refused as expired.')
    .option('--at <moment>', 'a date or an RFC 3339 time; default: now', momentArgument)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        'freehold subscriptions end sub_0123456789abcdef01234567',
        'freehold subscriptions end sub_0123456789abcdef01234567 --at 2099-12-31T12:00:00Z',
      ),
    )
    .action((id: string, { at, json }: { at?: Date; json?: true }) => {
      requireFuture('--at', at, 'without it, the subscription ends now');
      return change(id, json, (subscriptions) => subscriptions.end(id, at));
    });
  group
    .command('revoke <id>')
    .summary('revoke a subscription')
    .description('Revokes a subscription permanently; its key is then refused as unknown.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold subscriptions revoke sub_0123456789abcdef01234567'))
    .action((id: string, { json }: { json?: true }) =>
      change(id, json, (subscriptions) => subscriptions.revoke(id)),
    );
}

async function change(id: string, json: true | undefined, work: Change): Promise<void> {
  const row = await withSubscriptions(work);
  if (row === undefined) {
    throw new CommandFailure(`There is no subscription ${id}: \`freehold subscriptions list\` shows them.`);
  }
  if (json) return printJson(publicRow(row));
  print(process.stdout, `${row.id}  ${row.tier}  ${stateOf(row)}`);
}

function withSubscriptions<T>(
  work: (subscriptions: LocalSubscriptions) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  return withDatabase(
    readConfig(),
    (database) => work(createLocalSubscriptions(database, systemClock)),
    options,
  );
}

function requireFuture(option: string, moment: Date | undefined, remedy: string): void {
  if (moment === undefined || moment.getTime() > systemClock.now()) return;
  throw new CommandFailure(
    `${option} ${moment.toISOString()} is in the past: set a future time; ${remedy}.`,
    EXIT.usage,
  );
}

function publicRow({ tier, ...row }: SubscriptionRow): Record<string, unknown> {
  return { ...row, plan: tier, state: stateOf({ tier, ...row }) };
}

function cells(row: SubscriptionRow): string[] {
  return [row.id, row.tier, `…${row.keyHint}`, stateOf(row), row.createdAt.slice(0, 10), row.label];
}

function stateOf({ endsAt, revokedAt }: SubscriptionRow): string {
  if (revokedAt !== null) return 'revoked';
  if (endsAt === null) return 'active';
  return Date.parse(endsAt) <= systemClock.now() ? 'ended' : `ends ${endsAt.slice(0, 10)}`;
}
