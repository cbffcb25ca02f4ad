// Limit of open files and sockets of this process, as Linux reports it.

import { readFileSync } from 'node:fs';

/** How many files and sockets this process may have open; null if there is no limit, or the system (not Linux) does not say. */
export function descriptorLimit(): number | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
