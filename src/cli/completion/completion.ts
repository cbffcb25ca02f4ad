// Command `freehold completion`: scripts by which bash and zsh complete command lines.

import { Argument, type Command } from 'commander';
import { examples } from '../options.ts';
import { bashScript } from './bash.ts';
import { completedCommands } from './words.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript } as const;

/** Of all commands that the program has when it is called. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print a script that completes command lines')
    .description(
      'Prints a script for a shell, with every command, option and allowed value of this release. Completing starts no program.',
    )
    .addArgument(new Argument('<shell>', 'whose script').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      examples(
        'freehold completion bash > ~/.local/share/bash-completion/completions/freehold',
        'freehold completion zsh > ~/.zfunc/_freehold',
      ),
    )
    .action((shell: keyof typeof SCRIPTS) => {
      process.stdout.write(SCRIPTS[shell](completedCommands(program)));
    });
}
