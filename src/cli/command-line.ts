// All commands of the command line.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { addApi } from './api/api.ts';
import { addBackup } from './backup/backup.ts';
import { addBilling } from './billing.ts';
import { addClients } from './clients.ts';
import { addCompletion } from './completion/completion.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addGrants } from './grants.ts';
import { addImport } from './import/import.ts';
import { addMigrate } from './migrate.ts';
import { addNodes } from './nodes.ts';
import { addOpenapi } from './openapi.ts';
import { examples } from './options.ts';
import { createProgram } from './program.ts';
import { addRestore } from './restore/restore.ts';
import { addSources } from './sources/sources.ts';
import { addSubscriptions } from './subscriptions.ts';
import { addUsage } from './usage.ts';
import { addWatchers } from './watchers.ts';

/** All commands; none is run before its arguments are parsed. */
export function commandLine(): Command {
  const program = createProgram();
  addServe(program);
  addMigrate(program);
  addBackup(program);
  addSubscriptions(program);
  addBilling(program);
  addClients(program);
  addGrants(program);
  addWatchers(program);
  addUsage(program);
  addNodes(program);
  addImport(program);
  addSources(program);
  addRestore(program);
  addDoctor(program);
  addOpenapi(program);
  addApi(program);
  addCompletion(program);
  return program;
}

function addServe(program: Command): void {
  program
    .command('serve')
    .summary('run the service')
    .description('Runs the service in the foreground until SIGINT or SIGTERM. The environment configures it.')
    .addHelpText('after', examples('freehold serve', 'PORT=9000 DATA_DIR=/srv/freehold freehold serve'))
    .action(async () => {
      // Commands that do not serve need not load the service.
      const { serve } = await import('../main.ts');
      await serve(readConfig());
    });
}
