// Command `freehold subscriptions`: the keys that this service issues, their plans and their ends.

import type { Command } from 'commander';
import type { LocalSubscriptions, SubscriptionRow } from '../access/providers/subscription-store.ts';
import { PLANS, type Plan } from '../access/tiers/tiers.ts';
import { examples, JSON_OPTION, momentArgument, planArgument } from './options.ts';
import { print, printJson } from './output.ts';
import { addCreate } from './subscriptions/create.ts';
import { addImport } from './subscriptions/import.ts';
import { addList, publicRow, stateOf } from './subscriptions/list.ts';
import { noSubscription, requireFuture, withOwnSubscriptions } from './subscriptions/own.ts';

export function addSubscriptions(program: Command): void {
  const group = program
    .command('subscriptions')
    .summary('issue API keys, change and end them')
    .description(
      'Issues API keys, changes their plans and ends them. Takes effect in a running service at once. Where a payment\n' +
        'service keeps the subscriptions, plans are changed and ended there.',
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
  const row = await withOwnSubscriptions(work);
  if (row === undefined) {
    throw noSubscription(id);
  }
  if (json) return printJson(publicRow(row));
  print(process.stdout, `${row.id}  ${row.tier}  ${stateOf(row)}`);
}
