// Test runner: finds the tests, installs the clients they try, starts the one database server they share, and lists what failed or was skipped.
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { type EventData, run } from 'node:test';
import { spec } from 'node:test/reporters';
import { SERVER_VARIABLE, startTestServer } from './support/database/database.ts';
import { installClients } from './support/process/client-packages.ts';
import { GROUP_MODULE, groupText } from './support/process/file-group.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** One more than the cores of a small machine: there are always files that wait for other processes. */
const CONCURRENCY = 3;
/** Files that one process runs: more of them save its start, fewer of them end sooner what waits for the last process. */
const GROUP_SIZE = 12;
/** Files that take minutes, of which they use the processor for little. */
const LONGEST: readonly string[] = ['test/deploy/container.test.ts'];
/** Where tests of the service are; those of rules are beside them. */
const TESTS = join(ROOT, 'test/');
/** Milliseconds for a process: for what escapes the limits that test/support/process/file-group.ts sets for each file. */
const GROUP_LIMIT = 40 * 60_000;
/** Files listed at the end with their durations, so that what makes the tests slow is seen. */
const SLOWEST_SHOWN = 40;
/** So many files may be given a second run, alone, when everything was run; more failures are no accident. */
const SECOND_RUNS = 6;

// Stripping types and compiling take longer than most files without the cache, here and in what tests start.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/node');

const files = await testFiles(process.argv.slice(2));
if (files.length === 0) {
  console.error('No test file found');
  process.exit(1);
}
await installClients();
const server = process.env[SERVER_VARIABLE] ? undefined : await startTestServer();
if (server !== undefined) process.env[SERVER_VARIABLE] = server.url;
try {
  process.exitCode = (await passes(files, process.argv.length === 2)) ? 0 : 1;
} finally {
  await server?.stop();
}

async function testFiles(wanted: readonly string[]): Promise<string[]> {
  if (wanted.length > 0) return wanted.map((file) => resolve(file));
  const found: string[] = [];
  const exclude = (path: string) => path.endsWith('node_modules');
  for await (const file of glob('{test,src,sample}/**/*.test.ts', { cwd: ROOT, exclude }))
    found.push(join(ROOT, file));
  return found.toSorted();
}

/**
 * Files that fail beside others are run once more alone: tests of races depend on how busy the machine is. What passes
 * then is listed as unsteady, for somebody to mend, and what fails again fails the run.
 */
async function passes(paths: readonly string[], everything: boolean): Promise<boolean> {
  const failed = await failedFiles(paths, CONCURRENCY);
  if (failed.length === 0) return true;
  if (!everything || failed.length > SECOND_RUNS) return false;
  const names = failed.map((file) => `  ${relative(ROOT, file)}`).join('\n');
  console.log(`\nOnce more, alone:\n${names}\n`);
  if ((await failedFiles(failed, 1)).length > 0) return false;
  console.log(`\nUnsteady, failed among others and passed alone:\n${names}`);
  return true;
}

async function failedFiles(paths: readonly string[], concurrency: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'freehold-tests-'));
  try {
    const groups = await Promise.all(
      groupsOf(paths, concurrency).map(async (files, number) => {
        const path = join(folder, `group-${number + 1}.mjs`);
        await writeFile(path, groupText(files));
        return path;
      }),
    );
    return await runGroups(groups, concurrency);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * The longest files come first and rules last, which take seconds: a long group at the end would run beside idle cores.
 * Neighbours come into different groups: files of one folder are often slow together.
 */
function groupsOf(paths: readonly string[], concurrency: number): readonly (readonly string[])[] {
  const kindOf = (path: string) =>
    LONGEST.includes(relative(ROOT, path)) ? 0 : path.startsWith(TESTS) ? 1 : 2;
  const kinds = Map.groupBy(paths, kindOf);
  return ([0, 1, 2] as const).flatMap((kind) => {
    const own = kinds.get(kind) ?? [];
    const size = kind === 0 ? 1 : GROUP_SIZE;
    const count = Math.min(own.length, Math.max(concurrency, Math.ceil(own.length / size)));
    return Array.from({ length: count }, (_, number) => own.filter((_path, at) => at % count === number));
  });
}

function runGroups(groups: readonly string[], concurrency: number): Promise<string[]> {
  const skipped: string[] = [];
  const begun = new Map<string, number>();
  const durations: Duration[] = [];
  const failed = new Set<string>();
  const stream = run({ files: [...groups], concurrency, timeout: GROUP_LIMIT, cwd: ROOT });
  stream.on('test:fail', ({ todo, file, name }) => {
    if (todo === undefined || todo === false)
      failed.add(file === GROUP_MODULE ? join(ROOT, name) : (file ?? 'a file that is not named'));
  });
  stream.on('test:pass', (test) => {
    if (test.skip !== undefined && test.skip !== false) skipped.push(skipLine(test));
  });
  stream.on('test:enqueue', ({ file, name }) => {
    if (file === GROUP_MODULE) begun.set(name, performance.now());
  });
  stream.on('test:complete', ({ file, name }) => {
    const start = begun.get(name);
    if (file === GROUP_MODULE && start !== undefined)
      durations.push({ file: name, seconds: (performance.now() - start) / 1_000 });
  });
  const output = stream.compose(spec());
  output.pipe(process.stdout, { end: false });
  return new Promise((finish) => {
    output.on('end', () => {
      if (skipped.length > 0) console.log(`\nSkipped:\n${skipped.join('\n')}`);
      if (durations.length > SLOWEST_SHOWN) console.log(`\nSlowest files:\n${slowest(durations)}`);
      finish([...failed]);
    });
  });
}

/** Of a file named from the project's folder on. */
interface Duration {
  readonly file: string;
  readonly seconds: number;
}

function slowest(durations: readonly Duration[]): string {
  return durations
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST_SHOWN)
    .map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`)
    .join('\n');
}

function skipLine({ name, file, skip }: EventData.TestPass): string {
  const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
  return `  ${file === undefined ? '' : `${relative(ROOT, file)}: `}${name} (${reason})`;
}
