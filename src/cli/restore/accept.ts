// Command `freehold restore accept`: a database that was restored or closed acts on the outside again, or never.

import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { describeRestriction } from '../../postgres/state/database-state.ts';
import { acceptState, findState } from '../../postgres/state/state-store.ts';
import { openCommandDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { examples } from '../options.ts';
import { print } from '../output.ts';

export function addAccept(restore: Command): void {
  restore
    .command('accept')
    .summary('let a restored service act on the outside')
    .description(
      'Lets a service whose database was restored deliver to webhooks, send digests, read its sources and write to the\n' +
        'payment service again; or serves a database again that a final backup has closed. Running processes notice it within\n' +
        'a second. Only one of an original and what was restored from it may be accepted.',
    )
    .option('--as-copy', 'for a copy beside the original, such as staging: nothing is ever sent from it')
    .addHelpText('after', examples('freehold restore accept', 'freehold restore accept --as-copy'))
    .action(async ({ asCopy = false }: { asCopy?: boolean }) => {
      const opened = await openCommandDatabase(readConfig());
      try {
        const { database } = opened;
        const before = await findState(database);
        if (!(await database.write((sql) => acceptState(sql, asCopy)))) {
          if (before.name === 'serving')
            throw new CommandFailure('There is nothing to accept: the database is served as usual.');
          throw new CommandFailure(describeRestriction(before) ?? 'There is nothing to accept.');
        }
        print(
          process.stdout,
          asCopy
            ? 'Accepted as a copy: nothing is ever sent from it, and no source is read.'
            : 'Accepted: webhooks, digests, payment services and sources are used again.',
        );
      } finally {
        await opened.close();
      }
    });
}
