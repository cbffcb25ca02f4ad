// Command `freehold subscriptions create`: a key of a new subscription of our own, or of one at Stripe.

import { type Command, Option } from 'commander';
import type {
  IssuedKey,
  LocalSubscriptions,
  NewSubscription,
} from '../../access/providers/subscription-store.ts';
import { PLANS, type Plan } from '../../access/tiers/tiers.ts';
import { INIT_OPTION } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { customerArgument, examples, JSON_OPTION, momentArgument, planArgument } from '../options.ts';
import { emphasis, print, printJson } from '../output.ts';
import { issueKeyFor } from './issue.ts';
import { noSubscription, requireFuture, withOwnSubscriptions } from './own.ts';

const MAX_LABEL_LENGTH = 200;

interface CreateOptions {
  readonly plan?: Plan;
  readonly for?: string;
  readonly customer?: string;
  readonly replaces?: string;
  readonly label?: string;
  readonly endsAt?: Date;
  readonly init?: true;
  readonly json?: true;
}

/** What was created, as it is shown. */
interface Created {
  readonly id: string;
  readonly key: string;
  readonly plan: Plan;
  readonly customer: string | null;
}

export function addCreate(group: Command): void {
  group
    .command('create')
    .summary('issue a key')
    .description(
      'Creates a subscription and prints its key, or with --for the key of a subscription at Stripe. The key is shown only\n' +
        'once: only its hash is stored.',
    )
    .option('--plan <plan>', `needed without --for: ${PLANS.join(', ')}`, planArgument)
    .addOption(
      new Option('--for <id>', 'subscription at Stripe whose key it is; an earlier key of it ends').conflicts(
        ['plan', 'label', 'customer', 'replaces', 'endsAt', 'init'],
      ),
    )
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
        'freehold subscriptions create --for sub_1Q2w3E4r5T6y7U8i9O0p',
      ),
    )
    .action(async ({ json, for: reference, plan, ...wanted }: CreateOptions, command: Command) => {
      if (reference !== undefined) return show(await issueKeyFor(reference), json);
      if (plan === undefined) command.error("error: required option '--plan <plan>' not specified");
      show(await createOwn({ ...wanted, plan }), json);
    });
}

function show({ id, key, plan, customer }: Created, json: true | undefined): void {
  if (json) {
    printJson({ id, key, plan, customer });
    return;
  }
  print(process.stdout, `Subscription  ${id} (${plan})`);
  if (customer !== null) print(process.stdout, `Customer      ${customer}`);
  print(process.stdout, `Key           ${emphasis('key', key)}`);
  print(process.stderr, 'Store the key now: it is not shown again.');
}

async function createOwn({
  init,
  replaces,
  ...wanted
}: Omit<CreateOptions, 'plan'> & { readonly plan: Plan }): Promise<Created> {
  if ((wanted.label?.length ?? 0) > MAX_LABEL_LENGTH) {
    throw new CommandFailure(`--label may have at most ${MAX_LABEL_LENGTH} characters.`, EXIT.usage);
  }
  requireFuture('--ends-at', wanted.endsAt, 'without it, the subscription has no end');
  const created = await withOwnSubscriptions(
    (subscriptions) => createSubscription(subscriptions, wanted, replaces),
    { init },
  );
  if (replaces !== undefined && created.customer === null) {
    const remedy = `\`freehold watchers move ${replaces} ${created.id}\``;
    print(process.stderr, `${replaces} has no customer, so its watchers stay with it: ${remedy} moves them.`);
  }
  return { ...created, plan: wanted.plan };
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
