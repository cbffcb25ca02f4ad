// Failure of a command: exit codes, and one sentence with its remedy instead of a stack trace.

import { CommanderError } from 'commander';
import { redact } from '../lib/log.ts';
import { Problem } from '../lib/problem.ts';
import { emphasis, print } from './output.ts';

/** Exit codes of commands. */
export const EXIT = {
  /** Standard error says why. */
  failed: 1,
  /** The command line, the configuration or a map file is at fault. */
  usage: 2,
  /** An import is complete, but some rows were rejected. */
  rejected: 3,
  /** Stopped by Ctrl-C; the same command continues from there. */
  interrupted: 130,
} as const;

/** Errors of the configuration and of map files; by their names, since their modules load most of the service. */
const USAGE_ERRORS = ['ConfigError', 'MapError'];

/** An expected failure: the message is a sentence for the operator that names the remedy. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Says on standard error what went wrong and returns the exit code. Stacks are for LOG_LEVEL=debug. */
export function reportFailure(error: unknown, debug: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  const failure = error instanceof Error ? error : new Error(String(error));
  print(process.stderr, `${emphasis('error', 'Error:', process.stderr)} ${redact(sentence(failure))}`);
  if (debug && failure.stack !== undefined) print(process.stderr, redact(stacks(failure)));
  if (failure instanceof CommandFailure) return failure.exitCode;
  return USAGE_ERRORS.includes(failure.name) ? EXIT.usage : EXIT.failed;
}

function sentence(failure: Error): string {
  const cause = failure.cause instanceof Error ? failure.cause.message : '';
  // Clients are asked to wait; an operator may have to repair it.
  if (failure instanceof Problem && failure.code === 'DATABASE_UNAVAILABLE')
    return (
      `The database does not answer (${cause}). Check that its server runs and that DATABASE_URL is correct: ` +
      '`freehold doctor`.'
    );
  return cause === '' || failure.message.includes(cause) ? failure.message : `${failure.message} (${cause})`;
}

function stacks(failure: Error): string {
  const cause = failure.cause instanceof Error ? `\nCaused by: ${stacks(failure.cause)}` : '';
  return `${failure.stack}${cause}`;
}
