// Command `freehold serve`: the service, in the foreground.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { examples } from './help.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('run the service')
    .description('Runs the service in the foreground until SIGINT or SIGTERM. The environment configures it.')
    .addHelpText('after', examples('freehold serve', 'PORT=9000 DATA_DIR=/srv/freehold freehold serve'))
    .action(async () => {
      // Commands that do not serve need not load the service.
      const { serve } = await import('../main.ts');
      await serve(readConfig());
    });
}
