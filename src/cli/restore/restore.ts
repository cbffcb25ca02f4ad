// Command `freehold restore`.

import type { Command } from 'commander';
import { addAccept } from './accept.ts';

export function addRestore(program: Command): void {
  const restore = program
    .command('restore')
    .summary('accept a restored database')
    .description('Decides what a database that was restored or closed is used for.');
  addAccept(restore);
}
