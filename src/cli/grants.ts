// Command `freehold grants`: lists and revokes the access of apps.

import { type Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { type GrantRow, listGrants, revokeGrant } from '../oauth/consents/grant-store.ts';
import { knownName } from '../oauth/protocol/explorer-client.ts';
import { withDatabase } from './database.ts';
import { CommandFailure } from './failure.ts';
import { examples, JSON_OPTION } from './options.ts';
import { print, printJson, printTable } from './output.ts';

export function addGrants(program: Command): void {
  const group = program
    .command('grants')
    .summary('list grants of apps, and end one')
    .description('Lists OAuth grants, and ends one. Takes effect in a running service at once.')
    .addHelpText('after', examples('freehold grants list', 'freehold grants revoke 17'));
  addList(group);
  addRevoke(group);
}

function addList(group: Command): void {
  group
    .command('list')
    .summary('list the grants')
    .description('Lists the newest thousand grants, including ended ones. The last use is exact to the day.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold grants list', 'freehold grants list --json'))
    .action(async ({ json }: { json?: true }) => {
      const rows = await withDatabase(readConfig(), (database) => database.read(listGrants));
      if (json) return printJson({ grants: rows.map((row) => ({ ...row, state: stateOf(row) })) });
      printTable(
        ['ID', 'STATE', 'TIER', 'SUBSCRIPTION', 'CREATED', 'USED', 'CLIENT'],
        rows.map(cells),
        'Nobody has given an app access yet.',
      );
    });
}

function addRevoke(group: Command): void {
  group
    .command('revoke')
    .summary('end one')
    .description('Ends a grant with all its tokens. The app can ask its user again.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold grants revoke 17', 'freehold grants revoke 17 --json'))
    .argument('<id>', 'number of the grant, from `list`', grantArgument)
    .action(async (id: number, { json }: { json?: true }) => {
      const now = new Date(systemClock.now());
      const ended = await withDatabase(readConfig(), (database) =>
        database.write((sql) => revokeGrant(sql, id, now, 'operator_request')),
      );
      if (!ended) {
        throw new CommandFailure(`There is no active grant ${id}: \`freehold grants list\` shows them.`);
      }
      if (json) return printJson({ id, state: 'revoked' });
      print(process.stdout, `${id}  revoked`);
    });
}

function grantArgument(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give the number of a grant, such as 17.');
}

function cells(row: GrantRow): string[] {
  const { id, tier, subscription, createdAt, renewedAt, clientId } = row;
  const name = knownName(clientId, row.clientName);
  const client = name === null ? clientId : `${name} (${clientId})`;
  const dates = [createdAt.slice(0, 10), renewedAt.slice(0, 10)];
  return [String(id), stateOf(row), tier, subscription ?? 'none', ...dates, client];
}

function stateOf({ revokedAt, expiresAt }: GrantRow): string {
  if (revokedAt !== null) return 'revoked';
  return Date.parse(expiresAt) <= systemClock.now() ? 'expired' : 'active';
}
