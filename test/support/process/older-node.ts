// A Node of this machine that is too old to run Freehold itself.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Its path; undefined where the PATH has none. */
export function olderNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'node'));
  return candidates.find(
    (path) => existsSync(path) && Number.parseInt(execFileSync(path, ['-v']).toString().slice(1), 10) < 26,
  );
}
