// Owns `freehold clients`: the apps that registered for OAuth, and how one is shut out.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { type ClientRow, isKnownClient } from '../oauth/clients/client-store.ts';
import { listClients, revokeClient } from '../oauth/clients/clients.ts';
import { revokeGrantsOfClient } from '../oauth/token/revocation-store.ts';
import { withDatabase } from './database.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { examples } from './help.ts';
import { print, printJson, table } from './output.ts';

const JSON_OPTION = ['--json', 'print JSON'] as const;
const LONGEST_ID = 2_048;

export function addClients(program: Command): void {
  const group = program
    .command('clients')
    .summary('show the apps that registered for OAuth, and shut one out')
    .description(
      'Shows the apps that registered for OAuth, and shuts one out. A running service hears of it at once.',
    )
    .addHelpText(
      'after',
      examples('freehold clients list', 'freehold clients revoke https://app.example/oauth/client.json'),
    );
  addList(group);
  addRevoke(group);
}

function addList(group: Command): void {
  group
    .command('list')
    .summary('show the registered clients')
    .description(
      'Shows the newest thousand clients that registered themselves. Names are what they call themselves. Clients that\n' +
        'are known by the address of a document are not registered: `freehold grants list` shows those in use.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold clients list', 'freehold clients list --json'))
    .action(async ({ json }: { json?: true }) => {
      const rows = await withDatabase(readConfig(), (database) =>
        listClients({ database, clock: systemClock }),
      );
      if (json) return printJson({ clients: rows.map((row) => ({ ...row, state: stateOf(row) })) });
      if (rows.length === 0) return print(process.stdout, 'No client has registered yet.');
      const headings = ['ID', 'STATE', 'CREATED', 'NAME', 'REDIRECTS'];
      print(process.stdout, table(headings, rows.map(cells)));
    });
}

function addRevoke(group: Command): void {
  group
    .command('revoke <id>')
    .summary('shut one out')
    .description('Shuts a client of any kind out for good, and ends all that was granted to it.')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        'freehold clients revoke client_AbCdEf0123456789AbCdEf01',
        'freehold clients revoke https://app.example/oauth/client.json --json',
      ),
    )
    .action(async (id: string, { json }: { json?: true }) => {
      if (id === '' || id.length > LONGEST_ID) {
        throw new CommandFailure(`A client's id has 1 to ${LONGEST_ID} characters.`, EXIT.usage);
      }
      const grants = await shutOut(id);
      if (json) return printJson({ id, state: 'revoked', grants });
      print(
        process.stdout,
        `${id}  revoked, and ${grants.length === 1 ? '1 grant' : `${grants.length} grants`} with it`,
      );
    });
}

/** The mark comes first, so that no new grant escapes; both can be done again after a failure between them. */
async function shutOut(id: string): Promise<readonly number[]> {
  return withDatabase(readConfig(), async (database) => {
    if (!(await database.read((sql) => isKnownClient(sql, id)))) {
      throw new CommandFailure(
        `There is no client ${id}: \`freehold clients list\` shows those that registered, \`freehold grants list\` those in use.`,
      );
    }
    await revokeClient({ database, clock: systemClock }, id);
    return database.write((sql) => revokeGrantsOfClient(sql, id, new Date(systemClock.now())));
  });
}

function cells(row: ClientRow): string[] {
  const { id, createdAt, name, redirectUris } = row;
  return [id, stateOf(row), createdAt.slice(0, 10), name, redirectUris.join(' ')];
}

function stateOf({ revokedAt, expiresAt, usedAt }: ClientRow): string {
  if (revokedAt !== null) return 'revoked';
  if (Date.parse(expiresAt) <= systemClock.now()) return 'expired';
  return usedAt === null ? 'unused' : 'in use';
}
