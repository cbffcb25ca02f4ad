// Interruption of a long command: the first signal stops it in good order, the second ends the process at once.

import { print } from './output.ts';

/** A signal that is aborted by SIGINT, SIGTERM or SIGHUP; `notice` says on standard error what happens then. */
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
