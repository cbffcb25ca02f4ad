// Tests of the completion of command lines: by bash itself, of the script that `freehold completion bash` prints.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Command } from 'commander';
import { commandLine } from '../../src/cli/command-line.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';

const folder = await temporaryFolder({ after }, 'completion');
const script = join(folder, 'freehold.bash');
const printed = await runCommand(['completion', 'bash'], { folder });
await writeFile(script, printed.stdout);
await writeFile(join(folder, 'homes.json'), '{}');
await writeFile(join(folder, 'with space.csv'), '');

/** What bash offers at the end of each line, as it parts words itself: `=` is a word of its own. */
function complete(...lines: readonly string[]): string[][] {
  const calls = lines.map((line) => {
    const words = line.split(/ |(=)/).filter((word) => word !== undefined);
    const quoted = words.map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _freehold; printf '%s\\n' "\${COMPREPLY[@]}"; echo ---`;
  });
  const output = execFileSync('bash', ['--norc'], {
    cwd: folder,
    input: ['set -u', `source ${script}`, ...calls].join('\n'),
    encoding: 'utf8',
  });
  return output
    .split('---\n')
    .slice(0, -1)
    .map((part) => part.split('\n').filter((word) => word !== ''));
}

/** Each command with the words that call it. */
const all = (command: Command, path: string): [string, Command][] => [
  [path, command],
  ...command.commands.flatMap((each) => all(each, `${path} ${each.name()}`)),
];

test('every command of the command line is offered, and every option that its help shows', () => {
  const commands = all(commandLine(), 'freehold');
  assert.ok(commands.length > 100, `${commands.length}`);
  const offered = complete(...commands.flatMap(([path]) => [`${path} `, `${path} -`]));
  for (const [at, [path, command]] of commands.entries()) {
    const help = command.createHelp();
    const [below = [], options = []] = offered.slice(2 * at, 2 * at + 2);
    if (command.commands.length > 0)
      assert.deepEqual(
        below.toSorted(),
        help
          .visibleCommands(command)
          .map((each) => each.name())
          .toSorted(),
        path,
      );
    const flags = help.visibleOptions(command).map(({ long }) => long ?? '');
    assert.deepEqual(options.toSorted(), flags.toSorted(), path);
  }
});

test('a word that is begun is completed, behind options and their values as well', () => {
  const [groups, search, command, options, behind] = complete(
    'freehold ap',
    'freehold api sear',
    'freehold api search sal',
    'freehold api search sales --max-pri',
    // Values that are names of commands, too.
    'freehold api search sales --city api --min-price 5 --max-be',
  );
  assert.deepEqual(groups, ['api']);
  assert.deepEqual(search, ['search']);
  assert.deepEqual(command, ['sales']);
  assert.deepEqual(options, ['--max-price', '--max-price-per-area']);
  assert.deepEqual(behind, ['--max-bedrooms']);
});

test('allowed values are offered, one after the other in lists, and behind an equals sign', () => {
  const [units, assigned, facets, further, shells, plans] = complete(
    'freehold api search sales --units ',
    'freehold api search sales --units=me',
    'freehold api search sales --facets be',
    'freehold api search sales --facets bedrooms,ba',
    'freehold watchers deliveries wat_1 --status su',
    'freehold api events list --type listing.pri',
  );
  assert.deepEqual(units, ['imperial', 'metric']);
  assert.deepEqual(assigned, ['metric']);
  assert.deepEqual(facets, ['bedrooms']);
  assert.deepEqual(further, ['bedrooms,bathrooms']);
  assert.deepEqual(shells, ['succeeded']);
  assert.deepEqual(plans, ['listing.price_decreased', 'listing.price_increased']);
});

test('files are offered where a command reads them, and nothing where a value is free', () => {
  const [data, spaced, city] = complete(
    'freehold api search sales --data ho',
    'freehold api search sales --data with',
    'freehold api search sales --city A',
  );
  assert.deepEqual([data, spaced, city], [['homes.json'], ['with space.csv'], []]);
});

test('the script of zsh has the same words', async () => {
  const { stdout } = await runCommand(['completion', 'zsh'], { folder });
  assert.match(stdout, /^#compdef freehold\n/);
  for (const [path, command] of all(commandLine(), 'freehold')) {
    assert.ok(stdout.includes(`'${path}')`), path);
    for (const { long = '' } of command.createHelp().visibleOptions(command))
      assert.ok(stdout.includes(`'${long}:`), long);
  }
  const unknown = await runCommand(['completion', 'fish'], { folder });
  assert.deepEqual([unknown.code, /Allowed choices are bash, zsh/.test(unknown.stderr)], [2, true]);
});
