// Proof that each command explains itself: its help has examples, and each example is a command line that it accepts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { commandLine } from '../../src/cli/command-line.ts';
import { readConfig } from '../../src/config.ts';

/** A command with all commands below it. */
function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}

/** The words by which a command is called. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return help;
}

function examplesOf(command: Command): string[] {
  const [, block = ''] = /\nExamples?:\n((?: {2}.+\n?)+)/.exec(helpOf(command)) ?? [];
  return block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Splits an example as a shell does: assignments before the command, its words, and no redirection. */
function parseShellLine(line: string) {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const start = words.indexOf('freehold');
  const end = words.findIndex((word) => word === '>' || word === '|');
  const assignments = words.slice(0, start).map((word) => word.split(/=(.*)/s).slice(0, 2));
  return {
    environment: Object.fromEntries(assignments) as Record<string, string>,
    args: words.slice(start + 1, end < 0 ? undefined : end),
  };
}

/** Parses a command line without running it; gives the path of the command that would have run. */
async function parse(args: readonly string[]): Promise<string | undefined> {
  let called: string | undefined;
  const program = commandLine();
  for (const command of withDescendants(program)) {
    const note = () => {
      called = pathOf(command);
    };
    if (command.commands.length === 0) command.action(note);
    command.configureOutput({ writeOut: note, writeErr: () => {} });
  }
  await program.parseAsync(args, { from: 'user' }).catch((error: { exitCode?: number }) => {
    if (error.exitCode !== 0) throw error;
  });
  return called;
}

const commands = withDescendants(commandLine());

test('there are commands to prove this of', () => {
  assert.ok(commands.length >= 20, `${commands.length}`);
});

for (const command of commands) {
  const path = pathOf(command);
  test(`${path} --help has examples, and each is a command line that is accepted`, async () => {
    const examples = examplesOf(command);
    assert.ok(examples.length > 0, helpOf(command));
    for (const example of examples) {
      const { environment, args } = parseShellLine(example);
      assert.doesNotThrow(() => readConfig(environment, '/'), example);
      const called = await parse(args);
      assert.ok(called?.startsWith(path), `${example} calls ${called}`);
    }
  });
}
