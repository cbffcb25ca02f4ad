// Command line as a process: how commands fail, and the end of the process with its launcher.

import type { Command } from 'commander';
import { reportFailure } from './failure.ts';

/** Runs one command line and sets the process's exit code. Never throws. */
export async function main(args: readonly string[]): Promise<void> {
  endWithLauncher();
  endWithReader();
  try {
    await (await commandsFor(args)).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = reportFailure(error, await wantsStacks(args));
  }
}

/** Commands against a remote service are run again and again in scripts: they load nothing of the service. */
const isRemote = ([first]: readonly string[]): boolean => first === 'api';

async function commandsFor(args: readonly string[]): Promise<Command> {
  if (!isRemote(args)) return (await import('./command-line.ts')).commandLine();
  const [{ createProgram }, { addApi }] = await Promise.all([import('./program.ts'), import('./api/api.ts')]);
  const program = createProgram();
  addApi(program, args.slice(1));
  return program;
}

async function wantsStacks(args: readonly string[]): Promise<boolean> {
  if (isRemote(args)) return false;
  const { ConfigError, readConfig } = await import('../config.ts');
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
