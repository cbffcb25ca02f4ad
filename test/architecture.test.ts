// Proves that the code keeps the rules of ARCHITECTURE.md, whose import table it reads rather than repeats.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { functionLengths } from './support/code/function-lengths.ts';
import { packedLiterals } from './support/code/packed-literals.ts';
import {
  type Import,
  parseSource,
  readSource,
  type SourceFile,
  sourceFiles,
} from './support/code/source-files.ts';

const all = await sourceFiles('{src,sample}/**/*.ts');
const isTest = ({ path }: SourceFile) => path.endsWith('.test.ts');
const program = all.filter((file) => !isTest(file));
const service = program.filter(({ path }) => path.startsWith('src/'));

/** Module -> the modules it may import, their parts included; null: every one. Read from the table in ARCHITECTURE.md. */
const table = readTable(readSource('ARCHITECTURE.md').text);

function readTable(page: string): Map<string, ReadonlySet<string> | null> {
  const rows = page.matchAll(/^\| `([\w/-]+)` \|[^|]+\| ([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, room = '', list = '']) => {
      const rooms = new Set([...list.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name));
      return [room, list.trim() === 'everything' ? null : rooms];
    }),
  );
}

/** src/http/output/sse.ts -> http/output; src/config.ts -> config: the innermost module of the table that holds the path. */
function moduleOf(path: string): string {
  const parts = path
    .replace(/(?:\.test)?\.ts$/, '')
    .split('/')
    .slice(1);
  const folders = parts.length === 1 ? parts : parts.slice(0, -1);
  const names = folders.map((_, at) => folders.slice(0, folders.length - at).join('/'));
  return names.find((name) => table.has(name)) ?? folders.join('/');
}

/** Whether the row of `from` gives it `to`. A module comes with its parts (`http` gives `http/input` too), except to one of them. */
function gives(from: string, to: string): boolean {
  const row = table.get(from);
  if (row === null || row?.has(to)) return true;
  return [...(row ?? [])].some((name) => to.startsWith(`${name}/`) && !from.startsWith(`${name}/`));
}

/** What a file of src/ may not import, and why; null where the import is in order. */
function importFault(path: string, { target, local }: Import): string | null {
  if (!local) return null;
  if (/^(?:package\.json|openapi\.json)$/.test(target)) return null;
  if (path.endsWith('.test.ts') && target.startsWith('test/support/')) return null;
  // One transport for programs and the command line.
  if (target.startsWith('packages/client/src/') && moduleOf(path) === 'cli/api') return null;
  if (!target.startsWith('src/')) return `${path} imports ${target}, which is not of the service`;
  if (!target.endsWith('.ts')) return null;
  const [from, to] = [moduleOf(path), moduleOf(target)];
  if (from === to || gives(from, to)) return null;
  return `${path} imports ${target}: the table gives ${from} no ${to}`;
}

const importFaults = (files: readonly SourceFile[]) =>
  files.flatMap(({ path, imports }) =>
    imports.map((each) => importFault(path, each)).filter((fault) => fault !== null),
  );

/** Lines of the files that match, as `path:line text`. */
function hits(
  files: readonly SourceFile[],
  pattern: RegExp,
  part: 'text' | 'code' | 'bare' = 'bare',
): string[] {
  return files.flatMap((file) => {
    const lines = file[part].split('\n');
    return lines.flatMap((line, at) => (pattern.test(line) ? [`${file.path}:${at + 1} ${line.trim()}`] : []));
  });
}

test('the table names every module there is, and no module that is not there', () => {
  assert.ok(table.size >= 10, 'the table was found');
  const rooms = new Set(service.map(({ path }) => moduleOf(path)));
  assert.deepEqual(
    [...rooms].filter((room) => !table.has(room)),
    [],
  );
  assert.deepEqual(
    [...table.keys()].filter((room) => !rooms.has(room)),
    [],
  );
});

test('the arrows of the table run one way: a module stands above every module it may import', () => {
  const order = [...table.keys()];
  for (const [room, allowed] of table) {
    for (const other of order.filter((name) => allowed && gives(room, name)))
      assert.ok(order.indexOf(other) > order.indexOf(room), `${room} <- ${other}`);
  }
});

/** Files in one folder, tests aside. */
const MOST_FILES = 25;

test('a folder holds no more files than one looks over', () => {
  const folders = Map.groupBy(service, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  assert.deepEqual(
    [...folders].filter(([, files]) => files.length > MOST_FILES).map(([folder]) => folder),
    [],
  );
});

test('no file imports against the table', () => {
  assert.deepEqual(importFaults(all.filter(({ path }) => path.startsWith('src/'))), []);
});

test('an import against the table would be found, however it is written', () => {
  const found = (text: string) => importFaults([parseSource('src/lib/x.ts', text)]).length;
  assert.equal(found(`import { a } from '../http/route.ts';`), 1);
  assert.equal(found(`import type { A } from '../http/route.ts';`), 1);
  assert.equal(found(`import {\n  a,\n  type B,\n} from "../access/tiers.ts";`), 1);
  assert.equal(found(`import '../access/tiers.ts';`), 1);
  assert.equal(found(`export { a } from '../access/tiers.ts';`), 1);
  assert.equal(found(`const a = await import('../access/tiers.ts');`), 1);
  assert.equal(found(`import { a } from '../../sample/random.ts';`), 1);
  assert.equal(found(`import { a } from './clock.ts'; // from '../http/route.ts'`), 0);
});

test('the sample market and the service share no code', () => {
  const sample = all.filter(({ path }) => path.startsWith('sample/'));
  assert.ok(sample.length > 0);
  const strays = sample.flatMap((file) =>
    file.imports
      .filter(({ local, target }) => local && !target.startsWith('sample/'))
      .filter(({ target }) => !(isTest(file) && target.startsWith('test/support/')))
      .map(({ target }) => `${file.path} imports ${target}`),
  );
  assert.deepEqual(strays, []);
});

test('no imports run in a circle, imports of types included', () => {
  assert.deepEqual(circles(program), []);
  const ring = [`import { b } from './b.ts';`, `import { a } from './a.ts';`];
  const [a = '', b = ''] = ring;
  assert.equal(circles([parseSource('src/lib/a.ts', a), parseSource('src/lib/b.ts', b)]).length, 1);
  const typed = parseSource('src/lib/b.ts', `import type { A } from './a.ts';`);
  assert.equal(circles([parseSource('src/lib/a.ts', a), typed]).length, 1);
});

/** Each circle of imports, as `a -> b -> a`. */
function circles(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map(({ path, imports }) => [path, imports.filter(({ local }) => local)]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path) || trail.includes(path)) return;
    for (const { target } of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

/** Who may look at the environment, and what for. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  'src/config.ts': 'the settings',
  'src/cli/api/remote-settings.ts':
    'address and key of a remote service, for commands that load nothing of a service',
  'sample/main.ts': 'the credentials of the sample, handed over by whoever starts it',
};

test('only the configuration reads the environment', () => {
  const readers = program.filter(({ path }) => !(path in ENVIRONMENT));
  assert.deepEqual(hits(readers, /\bprocess\s*\.\s*env\b|\benv\b[^;]*\bfrom\s+'node:process'/, 'code'), []);
  for (const path of Object.keys(ENVIRONMENT))
    assert.notEqual(hits([readSource(path)], /process\.env/).length, 0, path);
});

const SQL_HOME = /(?:^|\/)(?:store|[\w-]+-store|[\w-]+-sql)\.ts$|^src\/postgres\//;
const SQL = new RegExp(
  [
    /\b(?:sql|tx|compose)(?:<[^`]*>)?`/.source,
    /\.unsafe\(/.source,
    /['"`]\s*(?:select|insert\s+into|update\s+\w+\s+set|delete\s+from|truncate|(?:create|alter|drop)\s+(?:table|index|database))\s/
      .source,
  ].join('|'),
  'i',
);

test('SQL stands only in stores, files of SQL, and the database room', () => {
  const homes = service.filter(({ path }) => SQL_HOME.test(path));
  assert.notEqual(hits(homes, SQL, 'code').length, 0, 'SQL is recognised where it belongs');
  assert.deepEqual(
    hits(
      program.filter(({ path }) => !SQL_HOME.test(path)),
      SQL,
      'code',
    ),
    [],
  );
});

/** Who may use time other than through the clock they are given. */
const OWN_TIME: Readonly<Record<string, string>> = {
  'src/lib/clock.ts': 'is the clock',
  'src/explore/browser/clock.ts': 'is the clock of a page in the browser',
};

test('nobody reads time or waits except through the clock', () => {
  const pattern =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\.now\b|\bset(?:Timeout|Interval)\(|\bhrtime\b|timers\/promises|AbortSignal\.timeout/;
  assert.deepEqual(
    hits(
      service.filter(({ path }) => !(path in OWN_TIME)),
      pattern,
      'code',
    ),
    [],
  );
});

test('every file opens with a noun phrase that says what it is', () => {
  const opening = /^\/\/ (?!Owns\b)[A-Z][^\n]+(?:\n\/\/ [^\n]+)*(?<=[.?])\n/;
  const silent = all.filter(({ text }) => !opening.test(text));
  assert.deepEqual(
    silent.map(({ path }) => path),
    [],
  );
});

test('no file is longer than 300 lines', () => {
  const long = all.filter(({ text }) => text.trimEnd().split('\n').length > 300);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
});

test('names are exported by name, from the file that owns them', () => {
  assert.deepEqual(hits(all, /^\s*export\s+default\b/), []);
  assert.deepEqual(hits(all, /^\s*export\s*\*/), []);
  const declares =
    /^\s*(?:export\s+)?(?:async\s+)?(?:abstract\s+)?(?:const|let|function|class|interface|type)\s+\w/m;
  const barrels = all.filter(({ bare }) => /^\s*export\b/m.test(bare) && !declares.test(bare));
  assert.deepEqual(
    barrels.map(({ path }) => path),
    [],
  );
  const vague = all.filter(({ path }) =>
    /(?:^|\/)(?:index|utils?|helpers?|types?|common|misc)\.ts$/.test(path),
  );
  assert.deepEqual(
    vague.map(({ path }) => path),
    [],
  );
});

test('the type checker is never talked over', () => {
  assert.deepEqual(hits(all, /@ts-(?:ignore|nocheck|expect-error)/, 'text'), []);
  assert.deepEqual(
    hits(all, /\bas any\b|[:<,|]\s*any\b(?=\s*[;,)>=|[\]}]|$)|^\s*declare\s+(?:module|global)\b/),
    [],
  );
});

const LONGEST_LIST = 40;

test('long lists of names stand in JSON', () => {
  const entry = /^\s*(?:[\w'"-]+:\s*)?(?:\[?\s*(?:'[^']*'|"[^"]*"|-?[\d._]+)\s*,?\s*)+\]?,?\s*$/;
  const long = all.filter(({ code }) => longestRun(code.split('\n'), entry) > LONGEST_LIST);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
});

test('header names are written in lower case, so that headers merge by a spread', () => {
  // The OpenAPI document shows names as people write them.
  const senders = service.filter(({ path }) => !path.startsWith('src/http/openapi/'));
  const literals = senders.flatMap(({ path, code }) =>
    [...code.matchAll(/headers\b[^;{}]{0,40}[:=] \{([^}]*)\}/gi)].map(([, names = '']) => ({ path, names })),
  );
  assert.ok(literals.length > 50, `${literals.length} header literals were found`);
  assert.deepEqual(
    literals.filter(({ names }) => /(?:^|[\s,{])'?[A-Z][\w-]*'?:/.test(names)),
    [],
  );
});

function longestRun(lines: readonly string[], pattern: RegExp): number {
  let [longest, run] = [0, 0];
  for (const line of lines) {
    run = pattern.test(line) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

const LONGEST_FUNCTION = 130;

test('no function is longer than 130 lines, and half of those with a body are shorter than 10', () => {
  const functions = program.flatMap(({ path, text }) => functionLengths(path, text));
  const long = functions.filter(({ lines }) => lines > LONGEST_FUNCTION);
  assert.deepEqual(
    long.map(({ place, lines }) => `${place} has ${lines} lines`),
    [],
  );
  const lengths = functions.map(({ lines }) => lines).toSorted((a, b) => a - b);
  assert.ok(lengths.length > 500, `${lengths.length} functions were found`);
  const median = lengths[Math.floor(lengths.length / 2)] ?? Number.NaN;
  assert.ok(median < 10, `the median is ${median} lines`);
});

test('the length of a function is that of its body, however it is written', () => {
  const lengthsOf = (text: string) => functionLengths('a.ts', text).map(({ lines }) => lines);
  assert.deepEqual(lengthsOf('function a(b) {\n  if (b) {\n    c();\n  }\n}'), [5]);
  assert.deepEqual(lengthsOf('const d = async <T>(e: { f: T }): Promise<{ g: T }> => {\n};'), [2]);
  assert.deepEqual(lengthsOf('class H {\n  get i() {\n    return 1;\n  }\n  #j = () => 2;\n}'), [3]);
  assert.deepEqual(lengthsOf('const k = { l() {\n} };\nconst m = `function n() {\n}`;'), [2]);
  assert.throws(() => lengthsOf('function o( {'), /a\.ts/);
});

test('no literal is spread into another: the compiler would not see members that nobody expects', async () => {
  const others = await sourceFiles('{bench,test}/**/*.ts');
  assert.ok(others.length > 500, `${others.length} files were found`);
  assert.deepEqual(
    [...all, ...others].flatMap(({ path, text }) => packedLiterals(path, text)),
    [],
  );
});

test('a literal that is spread is found whatever stands around it, and a condition is none', () => {
  const linesOf = (text: string) => packedLiterals('a.ts', text);
  assert.deepEqual(linesOf('f({\n  ...{ a, b },\n});'), ['a.ts:2']);
  assert.deepEqual(linesOf("g(...[1, 2], [...(['c'] as const)]);"), ['a.ts:1', 'a.ts:1']);
  assert.deepEqual(linesOf('const d = { ...(({ e: 1 }) satisfies F) };'), ['a.ts:1']);
  assert.deepEqual(linesOf('const h = { ...i, ...(j && { k: 1 }), ...(l ? [] : m) };'), []);
});

test('each migration has a number of its own', () => {
  const root = join(import.meta.dirname, '..');
  const numbers = globSync('src/postgres/migrations/*.sql', { cwd: root }).map(
    (path) => /(\d+)_[^/]*$/.exec(path)?.[1] ?? path,
  );
  const repeated = numbers.filter((number, at) => numbers.indexOf(number) !== at);
  assert.ok(numbers.length > 40, `${numbers.length} migrations were found`);
  assert.deepEqual(repeated, []);
});
