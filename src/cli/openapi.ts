// Command `freehold openapi`: prints the OpenAPI document.

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { CommandFailure } from './failure.ts';
import { examples } from './options.ts';
import { print } from './output.ts';

export function addOpenapi(program: Command): void {
  program
    .command('openapi')
    .summary('print the OpenAPI document')
    .description('Prints the OpenAPI document of this release. Needs no database.')
    .option('--check <file>', 'print nothing, and fail if the file differs from this document')
    .addHelpText(
      'after',
      examples('freehold openapi > openapi.json', 'freehold openapi --check openapi.json'),
    )
    .action(async ({ check }: { check?: string }) => {
      // Routes bring the whole service with them, which no other command needs.
      const { openApi } = await import('../app/openapi.ts');
      const document = JSON.stringify(openApi(), null, 2);
      if (check === undefined) return print(process.stdout, document);
      const committed = await readFile(check, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new CommandFailure(`${check} cannot be read: ${error.message}.`);
      });
      if (committed.trimEnd() === document) return;
      throw new CommandFailure(
        `${check} does not match the routes (${difference(committed, document)}): run \`freehold openapi > ${check}\`.`,
      );
    });
}

function difference(committed: string, document: string): string {
  const [theirs, ours] = [committed.split('\n'), document.split('\n')];
  const at = ours.findIndex((line, index) => line !== theirs[index]);
  return at === -1 ? 'it goes on longer' : `line ${at + 1} should be ${ours[at]?.trim().slice(0, 80)}`;
}
