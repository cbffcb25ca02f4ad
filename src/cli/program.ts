// The program `freehold`, which commands are added to.

import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { redact } from '../lib/log.ts';
import { examples } from './options.ts';

/** Without commands. */
export function createProgram(): Command {
  return new Command('freehold')
    .description('Runs and manages Freehold, a self-hosted property-listing API, and calls it.')
    .version(packageJson.version)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(redact(text)) })
    .showSuggestionAfterError()
    .addHelpText('after', examples('freehold serve', 'freehold doctor', 'freehold import --help'));
}
