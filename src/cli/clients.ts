// Command `freehold clients`: lists and revokes apps that registered for OAuth.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { type ClientRow, isKnownClient, listClients, revokeClient } from '../oauth/clients/client-store.ts';
import { revokeGrantsOfClient } from '../oauth/consents/grant-store.ts';
import { withDatabase } from './database.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { examples, JSON_OPTION } from './options.ts';
import { print, printJson, printTable } from './output.ts';

const MAX_ID_LENGTH = 2_048;

export function addClients(program: Command): void {
  const group = program
    .command('clients')
    .summary('list registered OAuth clients, and revoke one')
    .description(
      'Lists registered OAuth clients, and revokes one. Takes effect in a running service at once.',
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
    .summary('list the registered clients')
    .description(
      'Lists the newest thousand registered clients. Clients choose their own names. Clients that\n' +
        'are identified by the URL of a metadata document are not registered: `freehold grants list` shows those in use.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold clients list', 'freehold clients list --json'))
    .action(async ({ json }: { json?: true }) => {
      const rows = await withDatabase(readConfig(), (database) => database.read(listClients));
      if (json) return printJson({ clients: rows.map((row) => ({ ...row, state: stateOf(row) })) });
      printTable(
        ['ID', 'STATE', 'CREATED', 'NAME', 'REDIRECTS'],
        rows.map(cells),
        'No client has registered yet.',
      );
    });
}

function addRevoke(group: Command): void {
  group
    .command('revoke <id>')
    .summary('revoke a client')
    .description('Blocks a client of any kind permanently, and ends all its grants.')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        'freehold clients revoke client_AbCdEf0123456789AbCdEf01',
        'freehold clients revoke https://app.example/oauth/client.json --json',
      ),
    )
    .action(async (id: string, { json }: { json?: true }) => {
      if (id === '' || id.length > MAX_ID_LENGTH) {
        throw new CommandFailure(`A client's id has 1 to ${MAX_ID_LENGTH} characters.`, EXIT.usage);
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
    const now = new Date(systemClock.now());
    await database.write((sql) => revokeClient(sql, id, now));
    return database.write((sql) => revokeGrantsOfClient(sql, id, now));
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
