// Command `freehold watchers`: watchers of every owner listed, shown, paused, moved and replayed.

import { type Command, Option } from 'commander';
import { findActiveSubscription } from '../access/providers/subscription-list-store.ts';
import { createLocalSubscriptions } from '../access/providers/subscription-store.ts';
import { ownerOf } from '../access/tiers/tiers.ts';
import { readConfig } from '../config.ts';
import { formatTime, systemClock } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { moveAllWatchers, type NewOwner, pauseByOperator, replayWatcher } from '../watch/operator.ts';
import { findAnyWatcher, listAllWatchers, type WatcherFilter } from '../watch/operator-store.ts';
import { presentWatcher, type Watcher } from '../watch/watcher.ts';
import { STATUSES } from '../watch/watcher-schema.ts';
import { presentDelivery } from '../watch/webhooks/delivery-routes.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  listDeliveries,
} from '../watch/webhooks/delivery-store.ts';
import { withDatabase } from './database.ts';
import { CommandFailure } from './failure.ts';
import { examples, JSON_OPTION } from './options.ts';
import { print, printJson, printTable } from './output.ts';

const ID = 'wat_0123456789abcdef01234567';
const SUBSCRIPTION = 'sub_0123456789abcdef01234567';

export function addWatchers(program: Command): void {
  const group = program
    .command('watchers')
    .summary('list watchers, pause, move and replay them')
    .description(
      'Lists the watchers of every owner, and acts on them. Takes effect in a running service at once.',
    )
    .addHelpText('after', examples('freehold watchers list --status paused', `freehold watchers show ${ID}`));
  addList(group);
  addShow(group);
  addDeliveries(group);
  addActions(group);
  addMove(group);
}

function addList(group: Command): void {
  group
    .command('list')
    .summary('list the watchers')
    .description('Lists the newest thousand watchers.')
    .option('--owner <owner>', 'only of this owner, as `list` prints it, or of this subscription')
    .addOption(new Option('--status <status>', 'only with this status').choices([...STATUSES]))
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold watchers list', 'freehold watchers list --owner cus:acme --json'),
    )
    .action(async ({ json, owner, status }: WatcherFilter & { readonly json?: true }) => {
      const watchers = await withWatchers(async (database) => {
        const from = owner === undefined ? undefined : await ownerBy(database, owner);
        return database.read((sql) => listAllWatchers(sql, { owner: from, status }));
      });
      if (json) return printJson({ watchers: watchers.map(operatorView) });
      printTable(
        ['ID', 'STATUS', 'CADENCE', 'OWNER', 'TARGET', 'CREATED', 'NAME'],
        watchers.map(cells),
        'There is none yet.',
      );
    });
}

function addShow(group: Command): void {
  group
    .command('show <id>')
    .summary('show one as JSON')
    .description('Shows a watcher as its owner sees it, with its owner and subscription.')
    .addHelpText('after', examples(`freehold watchers show ${ID}`))
    .action(async (id: string) => {
      const watcher = await withWatchers((database) => database.read((sql) => findAnyWatcher(sql, id)));
      printJson(operatorView(required(watcher, id)));
    });
}

/** Rows of a listing. */
const MAX_DELIVERIES = 200;

function addDeliveries(group: Command): void {
  group
    .command('deliveries <id>')
    .summary('list what was sent to its webhooks')
    .description(
      `Lists the newest ${MAX_DELIVERIES} events for the webhooks of a watcher, each with its last attempt.`,
    )
    .addOption(new Option('--status <status>', 'only with this status').choices([...DELIVERY_STATUSES]))
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        `freehold watchers deliveries ${ID}`,
        `freehold watchers deliveries ${ID} --status failed --json`,
      ),
    )
    .action(async (id: string, { json, status }: { json?: true; status?: DeliveryStatus }) => {
      const deliveries = await withWatchers(async (database) => {
        required(await database.read((sql) => findAnyWatcher(sql, id)), id);
        const wanted = { watcherId: id, status, after: null, limit: MAX_DELIVERIES };
        return database.read((sql) => listDeliveries(sql, wanted));
      });
      if (json) return printJson({ deliveries: deliveries.map(presentDelivery) });
      printTable(
        ['AT', 'STATUS', 'ATTEMPT', 'HTTP', 'EVENT', 'HOST', 'ERROR'],
        deliveries.map(deliveryCells),
        'There is none.',
      );
    });
}

function deliveryCells({ at, status, attempt, httpStatus, type, url, error }: Delivery): string[] {
  return [at, status, String(attempt), String(httpStatus ?? ''), type, new URL(url).host, error ?? ''];
}

function addActions(group: Command): void {
  group
    .command('pause <id>')
    .summary('pause one')
    .description('Pauses a watcher. Its owner can resume it.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples(`freehold watchers pause ${ID}`))
    .action(
      async (id: string, { json }: { json?: true }) => void (await runAction(id, json, pauseByOperator)),
    );
  group
    .command('replay <id>')
    .summary('send what matches now as events')
    .description(
      'Sends the owner of an active watcher what matches now, as new events: for a client that has lost those it had. ' +
        'Nothing else changes.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples(`freehold watchers replay ${ID}`))
    .action(async (id: string, { json }: { json?: true }) => {
      const replay: typeof replayWatcher = async (options, wanted) => {
        const watcher = await replayWatcher(options, wanted);
        if (watcher === null || watcher.status === 'active') return watcher;
        throw new CommandFailure(`${id} is ${watcher.status}: only an active watcher can be replayed.`);
      };
      await runAction(id, json, replay);
    });
}

function addMove(group: Command): void {
  group
    .command('move <from> <to>')
    .summary('give the watchers of one owner to another')
    .description(
      'Gives all watchers of one owner to another, such as those of an old subscription to its replacement. <from> is a ' +
        'subscription, or an owner as `list` prints it; <to> is a subscription. Events stay with whom they were sent to.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples(`freehold watchers move ${SUBSCRIPTION} sub_abcdef0123456789abcdef01`))
    .action(async (from: string, to: string, { json }: { json?: true }) => {
      const { moved, owner } = await withWatchers(async (database) => {
        const target = await newOwner(database, to);
        const count = await moveAllWatchers(
          { database, clock: systemClock },
          await ownerBy(database, from),
          target,
        );
        return { moved: count, owner: target.owner };
      });
      if (json) return printJson({ moved, owner });
      print(process.stdout, `${moved} moved to ${owner}`);
    });
}

const withWatchers = <T>(work: (database: Database) => Promise<T>): Promise<T> =>
  withDatabase(readConfig(), work);

async function runAction(id: string, json: true | undefined, work: typeof pauseByOperator): Promise<Watcher> {
  const watcher = required(await withWatchers((database) => work({ database, clock: systemClock }, id)), id);
  if (json) printJson(operatorView(watcher));
  else print(process.stdout, `${watcher.id}  ${statusOf(watcher)}`);
  return watcher;
}

function required(watcher: Watcher | null, id: string): Watcher {
  if (watcher !== null) return watcher;
  throw new CommandFailure(`There is no watcher ${id}: \`freehold watchers list\` shows them.`);
}

/** An owner by its own name, or by the id of a subscription. */
async function ownerBy(database: Database, name: string): Promise<string> {
  return /^(?:cus|sub|grant):/.test(name) ? name : (await newOwner(database, name)).owner;
}

/** Throws CommandFailure for a subscription that this service, or its payment service as far as it has been queried, does not know. */
async function newOwner(database: Database, name: string): Promise<NewOwner> {
  const { kind } = readConfig().subscriptions;
  const id = name.replace(/^sub:/, '');
  const row =
    kind === 'local'
      ? await createLocalSubscriptions(database, systemClock).find(id)
      : await database.read((sql) => findActiveSubscription(sql, kind, id));
  if (row === undefined)
    throw new CommandFailure(`There is no subscription ${name}: \`freehold subscriptions list\` shows them.`);
  const { customer, tier } = row;
  return { owner: ownerOf({ customer, subscription: id }), subscription: id, plan: tier };
}

const operatorView = (watcher: Watcher) => ({
  ...presentWatcher(watcher),
  owner: watcher.owner,
  subscription: watcher.subscription,
  grant: watcher.grant,
});

const statusOf = ({ status, statusReason }: Watcher): string =>
  statusReason === null ? status : `${status} (${statusReason})`;

function cells(watcher: Watcher): string[] {
  const { id, cadence, owner, target, createdAt, name } = watcher;
  const created = formatTime(createdAt)?.slice(0, 10) ?? '';
  return [id, statusOf(watcher), cadence, owner, targetOf(target), created, name ?? ''];
}

function targetOf(target: Watcher['target']): string {
  if (target.type === 'listing') return target.listingId;
  if (target.type === 'market') return `${target.metric} of ${target.areaId}`;
  return target.type === 'property' ? target.propertyId : `${target.listingType} search`;
}
