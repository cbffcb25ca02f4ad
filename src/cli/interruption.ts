// Ctrl-C during a command that works in steps: the first ends it after the current step, the second at once.

import { print } from './output.ts';

/** Aborts on SIGINT, SIGTERM or SIGHUP and prints the notice; a second signal ends the process at once. */
export function interruption(notice: string): { readonly signal: AbortSignal } {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      process.once(name, () => process.exit(130));
      if (!controller.signal.aborted) print(process.stderr, `\n${notice}`);
      controller.abort();
    });
  }
  return controller;
}
