// Log in memory for tests to read.

import { createLog, type Log } from '../../../src/lib/log.ts';

export function memoryLog(): { readonly log: Log; readonly text: () => string } {
  const lines: string[] = [];
  const log = createLog({ stream: { write: (line) => void lines.push(line) } });
  return { log, text: () => lines.join('') };
}
