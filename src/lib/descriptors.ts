// Descriptor limit: how many files and sockets this process may have open, as the system tells it.

import { readFileSync } from 'node:fs';

/** Null where the system does not tell (other systems than Linux), or sets no limit. */
export function descriptorLimit(): number | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
