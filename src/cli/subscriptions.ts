// Owns `freehold subscriptions`: the keys that this service issues, their plans and their ends.

import type { Command } from 'commander';
import { type LocalSubscriptions, localSubscriptions } from '../access/providers/local.ts';
import type { SubscriptionRow } from '../access/providers/subscription-store.ts';
import { PLANS, type Plan } from '../access/tiers/tiers.ts';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { momentArgument, planArgument } from './arguments.ts';
import { INIT_OPTION, type OpenOptions, withDatabase } from './database.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { examples } from './help.ts';
import { emphasis, print, printJson, table } from './output.ts';

const JSON_OPTION = ['--json', 'print JSON'] as const;
const LONGEST_LABEL = 200;

export function addSubscriptions(program: Command): void {
  const group = program
    .command('subscriptions')
    .summary('issue API keys, change and end them')
    .description('Issues API keys, changes their plans and ends them. A running service hears of it at once.')
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
      'Makes a subscription and prints its key. The key is shown this once: only its hash is kept.',
    )
    .requiredOption('--plan <plan>', PLANS.join(', '), planArgument)
    .option('--label <text>', 'what people call it')
    .option('--ends-at <moment>', 'a date or an RFC 3339 time; without it, it has no end', momentArgument)
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
        throw new CommandFailure(`--label may have ${LONGEST_LABEL} characters at most.`, EXIT.usage);
      }
      requireFuture('--ends-at', wanted.endsAt, 'without it, the subscription has no end');
      const issued = await withSubscriptions((subscriptions) => subscriptions.create(wanted), { init });
      if (json) return printJson({ ...issued, plan: wanted.plan });
      print(process.stdout, `Subscription  ${issued.id} (${wanted.plan})`);
      print(process.stdout, `Key           ${emphasis('key', issued.key)}`);
      print(process.stderr, 'Keep the key now: it is not shown again.');
    });
}

function addList(group: Command): void {
  group
    .command('list')
    .summary('show the subscriptions')
    .description(
      'Shows the newest thousand subscriptions. Keys are known by their last four characters only.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold subscriptions list', 'freehold subscriptions list --json'))
    .action(async ({ json }: { json?: true }) => {
      const rows = await withSubscriptions((subscriptions) => subscriptions.list());
      if (json) return printJson({ subscriptions: rows.map(publicRow) });
      if (rows.length === 0) {
        return print(process.stdout, 'There is none yet: `freehold subscriptions create --plan free`.');
      }
      const headings = ['ID', 'PLAN', 'KEY', 'STATE', 'CREATED', 'LABEL'];
      print(process.stdout, table(headings, rows.map(cells)));
    });
}

type Change = (subscriptions: LocalSubscriptions) => Promise<SubscriptionRow | undefined>;

function addChanges(group: Command): void {
  group
    .command('change <id>')
    .summary('give it another plan')
    .description('Gives a subscription another plan, from its next request on.')
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
    .summary('let it end')
    .description('Ends a subscription now or at a given moment; its key is then refused as expired.')
    .option('--at <moment>', 'a date or an RFC 3339 time; now when absent', momentArgument)
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
    .summary('refuse its key for good')
    .description('Revokes a subscription for good; its key is then refused as if it had never been.')
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
  return withDatabase(readConfig(), (database) => work(localSubscriptions(database, systemClock)), options);
}

function requireFuture(option: string, moment: Date | undefined, remedy: string): void {
  if (moment === undefined || moment.getTime() > systemClock.now()) return;
  throw new CommandFailure(
    `${option} ${moment.toISOString()} is in the past: give a moment to come; ${remedy}.`,
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
