// Owns creating a cluster: complete or not at all, and never over one that exists.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.ts';
import { binariesEnvironment } from './binaries.ts';
import type { ClusterHome } from './cluster-place.ts';
import { ownDirectory } from './cluster-place.ts';
import { processState } from './process-state.ts';

/** The role and the database of the embedded server. */
export const EMBEDDED_NAME = 'freehold';
const EMBEDDED_MAJOR = '18';

/** Creates the cluster unless it exists; throws when it was made by another major version of PostgreSQL. */
export async function ensureCluster(place: ClusterHome, binaries: Binaries, durable: boolean): Promise<void> {
  const version = await clusterVersion(place.cluster);
  if (version === EMBEDDED_MAJOR) return;
  if (version !== undefined) throw new Error(wrongVersion(place.cluster, version));
  await removeAbandonedDrafts(place.cluster);
  const draft = `${place.cluster}.${process.pid}`;
  try {
    await createCluster(draft, place, binaries, durable);
    await rename(draft, place.cluster).catch(async (error: unknown) => {
      // Another process was faster; its cluster is as good.
      if ((await clusterVersion(place.cluster)) !== EMBEDDED_MAJOR) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Half a cluster stays behind where its maker was killed; its number tells that it is gone. */
async function removeAbandonedDrafts(cluster: string): Promise<void> {
  const prefix = `${basename(cluster)}.`;
  for (const name of await readdir(dirname(cluster))) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (!Number.isInteger(pid) || (await processState(pid)) !== undefined) continue;
    // Its maker's own children may still be at it for a moment.
    const patience = { maxRetries: 10, retryDelay: 100 };
    await rm(join(dirname(cluster), name), { recursive: true, force: true, ...patience });
  }
}

async function createCluster(
  directory: string,
  place: ClusterHome,
  binaries: Binaries,
  durable: boolean,
): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await ownDirectory(directory, place.user);
  const run = (program: string, args: readonly string[], input: string) =>
    runProgram(join(binaries.native, 'bin', program), args, input, place, binaries);
  await run('initdb', ['-D', directory, ...INITDB_OPTIONS, ...(durable ? [] : ['--no-sync'])], '');
  const single = ['--single', '-D', directory, ...(durable ? [] : ['-c', 'fsync=off']), 'postgres'];
  await run('postgres', single, `create database ${EMBEDDED_NAME}\n`);
}

const INITDB_OPTIONS = [
  `--username=${EMBEDDED_NAME}`,
  // Whoever can enter the socket's folder is the server's user or root; nobody else gets in at all.
  '--auth-local=trust',
  '--auth-host=reject',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
];

async function runProgram(
  program: string,
  args: readonly string[],
  input: string,
  place: ClusterHome,
  binaries: Binaries,
): Promise<void> {
  const env = binariesEnvironment(binaries);
  const child = spawn(program, args, { ...place.user, env, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.on('error', () => {}); // The exit code tells more than a broken pipe.
  child.stdin.end(input);
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${program} failed (${code}): ${complaint.trim().slice(-2000)}`);
}

async function clusterVersion(cluster: string): Promise<string | undefined> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  return version?.trim();
}

function wrongVersion(cluster: string, version: string): string {
  return (
    `${cluster} was made by PostgreSQL ${version}, but version ${EMBEDDED_MAJOR} is installed. ` +
    'Back it up with the release of Freehold that made it and restore the backup with this one.'
  );
}
