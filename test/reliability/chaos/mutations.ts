// Command that writes faults into a copy of the engine, one at a time, and tells which its tests do not notice:
// `node test/reliability/chaos/mutations.ts [words, one of which the file's name has...]`.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SERVER_VARIABLE, startTestServer } from '../../support/database/database.ts';
import { MUTATIONS, type Mutation } from '../../support/engine/mutations.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const COPIED = ['src', 'test', 'sample', 'docs', 'bin', 'package.json', 'tsconfig.json', 'openapi.json'];
/** Milliseconds: a test that a fault keeps from ending has noticed it. */
const LIMIT = 240_000;

const words = process.argv.slice(2);
const isWanted = ({ file, test }: Mutation): boolean =>
  words.length === 0 || words.some((word) => `${file} ${test}`.includes(word));

/** The test that runs now, and whether it is the last. */
let running: ChildProcess | undefined;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    console.error(`Stopped by ${signal}`);
    isStopped = true;
    endGroup(running);
  });

const folder = await mkdtemp(join(tmpdir(), 'freehold-mutations-'));
const server = await startTestServer();
const missed: Mutation[] = [];
try {
  for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const chosen = MUTATIONS.filter(isWanted);
  await requireSoundTests(chosen);
  for (const mutation of chosen) if (!(await isNoticed(mutation))) missed.push(mutation);
  console.log(`${chosen.length - missed.length} of ${chosen.length} faults were noticed`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
if (missed.length > 0) process.exitCode = 1;

/** A test that fails anyway would seem to notice everything. */
async function requireSoundTests(chosen: readonly Mutation[]): Promise<void> {
  for (const test of new Set(chosen.map((each) => each.test)))
    if (!(await passes(test))) throw new Error(`${test} fails without any fault`);
}

async function isNoticed({ file, from, to, test, named }: Mutation): Promise<boolean> {
  const path = join(folder, 'src/search/engine', file);
  const sound = await readFile(path, 'utf8');
  if (sound.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`);
  await writeFile(
    path,
    sound.replace(from, () => to),
  );
  const isUnnoticed = await passes(test, named);
  await writeFile(path, sound);
  console.log(`${isUnnoticed ? 'MISSED ' : 'noticed'} ${file}: ${from.trim()} -> ${to || 'nothing'}`);
  return !isUnnoticed;
}

async function passes(test: string, named?: string): Promise<boolean> {
  const pattern = named === undefined ? [] : [`--test-name-pattern=${named}`];
  const child = spawn(process.execPath, ['--test', ...pattern, test], {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, [SERVER_VARIABLE]: server.url, NODE_TEST_CONTEXT: undefined },
  });
  running = child;
  const limit = setTimeout(() => endGroup(child), LIMIT);
  const [code] = await once(child, 'exit');
  clearTimeout(limit);
  running = undefined;
  if (isStopped) throw new Error('Stopped');
  return code === 0;
}

/** A test that never yields hears nothing, and outlives the process that started it: it leads a group with all that it starts. */
function endGroup(leader: ChildProcess | undefined): void {
  if (leader?.pid === undefined) return;
  try {
    process.kill(-leader.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
