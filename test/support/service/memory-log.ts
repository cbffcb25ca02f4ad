// A log that keeps its lines for tests to read.

import { createLog, type Log } from '../../../src/lib/log.ts';

export function logKeeper(): { readonly log: Log; readonly text: () => string } {
  const lines: string[] = [];
  const log = createLog({ stream: { write: (line) => void lines.push(line) } });
  return { log, text: () => lines.join('') };
}
