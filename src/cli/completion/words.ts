// What can be completed: for each command the commands below it, its options, and what they take.

import type { Command, Option } from 'commander';

export interface CompletedOption {
  readonly flag: string;
  readonly about: string;
  /** Null: it takes no value. Empty: any value. */
  readonly values: readonly string[] | null;
  /** Values can follow one another, separated by commas. */
  readonly isList: boolean;
  readonly isFile: boolean;
}

export interface CompletedCommand {
  /** From the program on, such as `freehold api search`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly CompletedOption[];
  /** Whether its arguments are files. */
  readonly takesFiles: boolean;
}

/** The command and all below it. */
export function completedCommands(command: Command, parent = ''): CompletedCommand[] {
  const path = `${parent} ${command.name()}`.trim();
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  return [
    {
      path,
      commands: below.map((each) => ({
        name: each.name(),
        about: firstSentence(each.summary() || each.description()),
      })),
      options: help.visibleOptions(command).map(optionOf),
      takesFiles: command.registeredArguments.some((argument) => FILES.test(argument.name())),
    },
    ...command.commands.flatMap((each) => completedCommands(each, path)),
  ];
}

const FILES = /^(?:file|folder|path|directory|destination|archive|backup|input)s?$/;

function optionOf(option: Option): CompletedOption {
  const { long, short, description, required, optional, flags } = option;
  // Options of the API name their values in their description, and the service judges them.
  const [, listed = ''] = /One of: ([^.]*(?:\.\w[^.]*)*)\./.exec(description) ?? [];
  const values = option.argChoices ?? (listed === '' ? [] : listed.split(', '));
  return {
    flag: long ?? short ?? '',
    about: firstSentence(description),
    values: required || optional ? values : null,
    isList: flags.includes(',...'),
    isFile: /<(?:file|folder|path|directory)>/.test(flags),
  };
}

const MAX_ABOUT = 70;

/** Short enough for a line beside its name. */
function firstSentence(text: string): string {
  const [sentence = ''] = text.split(/(?<=[.;:])\s|\n/);
  const bare = sentence.replace(/[.;:]$/, '');
  return bare.length > MAX_ABOUT ? `${bare.slice(0, MAX_ABOUT - 1).trimEnd()}…` : bare;
}

/** A word of a shell script. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
