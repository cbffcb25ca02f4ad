// Command line: its commands, `serve` included, how they fail, and the end of the process with its launcher.

import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { ConfigError, readConfig } from '../config.ts';
import { redact } from '../lib/log.ts';
import { addBackup } from './backup/backup.ts';
import { addBilling } from './billing.ts';
import { addClients } from './clients.ts';
import { addDoctor } from './doctor/doctor.ts';
import { reportFailure } from './failure.ts';
import { addGrants } from './grants.ts';
import { addImport } from './import/import.ts';
import { addMigrate } from './migrate.ts';
import { addNodes } from './nodes.ts';
import { addOpenapi } from './openapi.ts';
import { examples } from './options.ts';
import { addRestore } from './restore/restore.ts';
import { addSources } from './sources/sources.ts';
import { addSubscriptions } from './subscriptions.ts';
import { addUsage } from './usage.ts';
import { addWatchers } from './watchers.ts';

/** Runs one command line and sets the process's exit code. Never throws. */
export async function main(args: readonly string[]): Promise<void> {
  endWithLauncher();
  endWithReader();
  try {
    await commandLine().parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = reportFailure(error, wantsStacks());
  }
}

/** All commands; none is run before its arguments are parsed. */
export function commandLine(): Command {
  const program = new Command('freehold')
    .description('Runs and manages Freehold, a self-hosted property-listing API.')
    .version(packageJson.version)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(redact(text)) })
    .showSuggestionAfterError()
    .addHelpText('after', examples('freehold serve', 'freehold doctor', 'freehold import --help'));
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
  return program;
}

function wantsStacks(): boolean {
  try {
    return ['debug', 'trace'].includes(readConfig().logLevel);
  } catch (error) {
    // Reported already.
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** When the launcher dies without passing a signal on, its channel closes: then this process must not live on. */
function endWithLauncher(): void {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** `freehold … | head` closes our output early: that is no failure. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

export function addServe(program: Command): void {
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
