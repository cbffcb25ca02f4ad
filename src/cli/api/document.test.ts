// Proof that every operation of openapi.json has one command, whose name and options are its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { addApi } from './api.ts';
import { apiCommands, readDocument } from './document.ts';
import { fieldsOf } from './fields.ts';

const document = readDocument();
const commands = apiCommands(document);

test('each operation is called by one command, or by one option of a command', () => {
  const called = commands.flatMap(({ operation, variants }) => [operation, ...variants.values()]);
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  assert.ok(operations.length > 70, `${operations.length}`);
  assert.deepEqual(called.map(({ id }) => id).toSorted(), operations.toSorted());
});

test('an operation that the table of commands lacks is reported, and one that is gone', () => {
  const { '/livez': live, ...paths } = document.paths;
  assert.throws(() => apiCommands({ ...document, paths }), /commands\.json has getLiveness/);
  const twin = Object.fromEntries(
    Object.entries(live ?? {}).map(([method, operation]) => [
      method,
      { ...operation, operationId: 'getTwin' },
    ]),
  );
  const more = { ...document.paths, '/twin': twin };
  assert.throws(() => apiCommands({ ...document, paths: more }), /commands\.json lacks getTwin/);
});

test('names of commands are one or two words, and each is there once', () => {
  const names = commands.map(({ words }) => words.join(' '));
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)?$/);
  const groups = new Set(commands.filter(({ words }) => words.length > 1).map(({ words }) => words[0]));
  for (const { words } of commands) assert.ok(words.length > 1 || !groups.has(words[0]), words.join(' '));
});

test('the commands of a search take the same filters in each form, so that one option only changes what is printed', () => {
  for (const command of commands.filter(({ words }) => words[0] === 'search')) {
    const names = new Set(command.operation.parameters.map(({ name }) => name));
    for (const variant of command.variants.values())
      for (const { name } of variant.parameters) assert.ok(names.has(name), `${variant.id} ${name}`);
  }
});

test('each parameter has an option, in lower case with dashes, and no option has two meanings', () => {
  const program = new Command();
  addApi(program);
  for (const command of commands) {
    const fields = fieldsOf(command);
    const flags = fields.map(({ flag }) => flag);
    assert.equal(new Set(flags).size, flags.length, command.words.join(' '));
    const added = command.words.reduce(
      (parent, word) => parent.commands.find((each) => each.name() === word) ?? assert.fail(word),
      program.commands[0] ?? assert.fail(),
    );
    const options = new Set(added.options.map(({ long }) => long));
    for (const flag of flags) {
      assert.match(flag, /^[a-z\d]+(?:-[a-z\d]+)*$/);
      assert.ok(options.has(`--${flag}`), `${command.words.join(' ')} --${flag}`);
    }
  }
});

test('secrets are members of bodies, never options', () => {
  const flags = commands.flatMap((command) =>
    fieldsOf(command)
      .filter(({ place }) => place === 'body')
      .map(({ name }) => name),
  );
  assert.ok(flags.includes('client_id') && flags.includes('cadence'));
  assert.deepEqual(
    flags.filter((name) => /secret|token$|^code$|verifier|proof|api_?key/i.test(name)),
    [],
  );
});
