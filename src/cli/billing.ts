// Command `freehold billing`: the payment service that keeps the subscriptions, and the events that it sent.

import type { Command } from 'commander';
import { type EventRow, listEvents, type ProviderName, replayEvent } from '../billing/event-store.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../postgres/client/database.ts';
import { requireProvider } from './billing/payments.ts';
import { addStatus } from './billing/status.ts';
import { addSync } from './billing/sync.ts';
import { withDatabase } from './database.ts';
import { CommandFailure } from './failure.ts';
import { examples, JSON_OPTION } from './options.ts';
import { print, printJson, printTable } from './output.ts';

const ID = 'evt_1Q2w3E4r5T6y7U8i9O0p';

export function addBilling(program: Command): void {
  const group = program
    .command('billing')
    .summary('look after the payment service')
    .description(
      'Shows how this service and its payment service get on: Polar or Stripe, as SUBSCRIPTIONS says.',
    )
    .addHelpText('after', examples('freehold billing status', `freehold billing replay ${ID}`));
  addStatus(group);
  addSync(group);
  addEvents(group);
  addReplay(group);
}

/** Rows of a listing. */
const MAX_EVENTS = 100;

function addEvents(group: Command): void {
  group
    .command('events')
    .summary('list the events that came')
    .description(
      `Lists the last ${MAX_EVENTS} events of the payment service, with the error of those that could not be handled yet. ` +
        'They are kept for 30 days.',
    )
    .option('--waiting', 'only those that are not handled yet')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold billing events', 'freehold billing events --waiting --json'))
    .action(async ({ json, waiting }: { json?: true; waiting?: true }) => {
      const events = await withPayments((database, provider) =>
        database.read((sql) => listEvents(sql, { provider, isWaiting: waiting === true, max: MAX_EVENTS })),
      );
      if (json) return printJson({ events: events.map(eventView) });
      printTable(
        ['RECEIVED', 'STATE', 'TRIES', 'TYPE', 'ID', 'SUBJECTS', 'ERROR'],
        events.map(cells),
        waiting === true ? 'None waits.' : 'There is none yet.',
      );
    });
}

function addReplay(group: Command): void {
  group
    .command('replay <id>')
    .summary('handle an event again')
    .description(
      'Lets a running service fetch once more what an event names, at once. Nothing but the present state counts, so ' +
        'it does no harm to handle an event twice.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples(`freehold billing replay ${ID}`))
    .action(async (id: string, { json }: { json?: true }) => {
      const event = await withPayments((database, provider) =>
        database.write((sql) => replayEvent(sql, provider, id)),
      );
      if (event === null)
        throw new CommandFailure(
          `There is no event ${id}: \`freehold billing events\` lists those that came.`,
        );
      if (json) return printJson(eventView(event));
      print(process.stdout, `${event.id}  ${stateOf(event)}`);
    });
}

function withPayments<T>(work: (database: Database, provider: ProviderName) => Promise<T>): Promise<T> {
  const config = readConfig();
  const provider = requireProvider(config);
  return withDatabase(config, (database) => work(database, provider));
}

const eventView = (event: EventRow) => ({ ...event, state: stateOf(event) });

function stateOf({ handledAt, lastError }: EventRow): 'handled' | 'failing' | 'waiting' {
  if (handledAt !== null) return 'handled';
  return lastError === null ? 'waiting' : 'failing';
}

function cells(event: EventRow): string[] {
  const { id, type, subjects, receivedAt, attempts, lastError } = event;
  const received = `${receivedAt.slice(0, 19)}Z`;
  return [received, stateOf(event), String(attempts), type, id, subjects.join(' '), lastError ?? ''];
}
