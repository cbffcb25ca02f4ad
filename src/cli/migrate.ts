// Command `freehold migrate`: brings the database's tables up to this release.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { migrate } from '../postgres/migrations/migrate.ts';
import { requireSessions } from '../postgres/state/pooler.ts';
import { requireServable } from '../postgres/state/state-store.ts';
import { INIT_OPTION, openCommandDatabase } from './database.ts';
import { examples } from './options.ts';
import { print, printJson } from './output.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .summary('update the database schema')
    .description(
      'Runs the missing migrations of this release. `serve` does this by itself; run this first\n' +
        'if several services share one database.',
    )
    .option(...INIT_OPTION)
    .option('--json', 'print the names as JSON')
    .addHelpText(
      'after',
      examples(
        'freehold migrate',
        'freehold migrate --init',
        'DATABASE_URL=postgres://… freehold migrate --json',
      ),
    )
    .action(async ({ init, json }: { init?: true; json?: true }) => {
      const config = readConfig();
      const opened = await openCommandDatabase(config, { init });
      try {
        if (config.databaseUrl !== null) await requireSessions(opened.database);
        await requireServable(opened.database);
        const applied = await migrate(opened.database, {
          onProgress: (name, index, total) => print(process.stderr, `${index + 1}/${total}  ${name}`),
          onWait: (why) => print(process.stderr, `${why}.`),
        });
        if (json) printJson({ applied });
        else print(process.stdout, outcomeText(applied.length));
      } finally {
        await opened.close();
      }
    });
}

function outcomeText(applied: number): string {
  if (applied === 0) return 'Nothing to do.';
  return applied === 1 ? 'Ran 1 migration.' : `Ran ${applied} migrations.`;
}
