// Command `freehold subscriptions`: the keys that this service issues, their plans and their ends.

import { type Command, Option } from 'commander';
import type {
  IssuedKey,
  LocalSubscriptions,
  NewSubscription,
  SubscriptionRow,
} from '../access/providers/subscription-store.ts';
import { createLocalSubscriptions } from '../access/providers/subscription-store.ts';
import { PLANS, type Plan } from '../access/tiers/tiers.ts';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { INIT_OPTION, type OpenOptions, withDatabase } from './database.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { customerArgument, examples, JSON_OPTION, momentArgument, planArgument } from './options.ts';
import { emphasis, print, printJson } from './output.ts';
import { addImport } from './subscriptions/import.ts';
import { addList, publicRow, stateOf } from './subscriptions/list.ts';

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
  addImport(group);
  addChanges(group);
}

interface CreateOptions {
  readonly plan: Plan;
  readonly customer?: string;
  readonly replaces?: string;
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
    .addOption(
      new Option('--customer <id>', 'your id of whoever holds it: all their keys share watchers').argParser(
        customerArgument,
      ),
    )
    .addOption(
      new Option('--replaces <id>', 'subscription whose customer it takes over').conflicts('customer'),
    )
    .option('--ends-at <moment>', 'a date or an RFC 3339 time; default: no end', momentArgument)
    .option(...INIT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        'freehold subscriptions create --plan pro --label "Acme Homes" --customer acme',
        'freehold subscriptions create --plan pro --replaces sub_0123456789abcdef01234567',
        'freehold subscriptions create --plan free --ends-at 2099-12-31 --json',
      ),
    )
    .action(async ({ json, init, replaces, ...wanted }: CreateOptions) => {
      if ((wanted.label?.length ?? 0) > LONGEST_LABEL) {
        throw new CommandFailure(`--label may have at most ${LONGEST_LABEL} characters.`, EXIT.usage);
      }
      requireFuture('--ends-at', wanted.endsAt, 'without it, the subscription has no end');
      const { customer, ...issued } = await withSubscriptions(
        (subscriptions) => createSubscription(subscriptions, wanted, replaces),
        { init },
      );
      if (replaces !== undefined && customer === null) {
        const remedy = `\`freehold watchers move ${replaces} ${issued.id}\``;
        print(
          process.stderr,
          `${replaces} has no customer, so its watchers stay with it: ${remedy} moves them.`,
        );
      }
      if (json) return printJson({ ...issued, plan: wanted.plan, customer });
      print(process.stdout, `Subscription  ${issued.id} (${wanted.plan})`);
      if (customer !== null) print(process.stdout, `Customer      ${customer}`);
      print(process.stdout, `Key           ${emphasis('key', issued.key)}`);
      print(process.stderr, 'Store the key now: it is not shown again.');
    });
}

/** Creates it with the customer that is wanted, or that of the subscription it replaces. */
async function createSubscription(
  subscriptions: LocalSubscriptions,
  wanted: NewSubscription,
  replaces: string | undefined,
): Promise<IssuedKey & { readonly customer: string | null }> {
  const replaced = replaces === undefined ? undefined : await subscriptions.find(replaces);
  if (replaces !== undefined && replaced === undefined) throw noSubscription(replaces);
  const customer = wanted.customer ?? replaced?.customer ?? null;
  return { ...(await subscriptions.create({ ...wanted, customer })), customer };
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
    throw noSubscription(id);
  }
  if (json) return printJson(publicRow(row));
  print(process.stdout, `${row.id}  ${row.tier}  ${stateOf(row)}`);
}

function noSubscription(id: string): CommandFailure {
  return new CommandFailure(`There is no subscription ${id}: \`freehold subscriptions list\` shows them.`);
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
