// Creation of a cluster by initdb: complete or not at all, and never over an existing one.

import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readIfExists } from '../../lib/files.ts';
import { type Binaries, runProgram } from './binaries.ts';
import { type ClusterHome, ownDirectory } from './cluster-home.ts';
import {
  createRoles,
  hasRoles,
  type RoleOptions,
  type RolePasswords,
  resetRoles,
  SUPERUSER_NAME,
} from './cluster-roles.ts';
import { processState } from './postmaster.ts';

const EMBEDDED_MAJOR = '18';

export interface ClusterOptions {
  readonly binaries: Binaries;
  readonly passwords: RolePasswords;
  readonly durable: boolean;
}

/**
 * Creates the cluster unless it exists, and sets the passwords of its roles; no server may run on it. Throws if it was created
 * by another major version of PostgreSQL.
 */
export async function ensureCluster(place: ClusterHome, options: ClusterOptions): Promise<void> {
  const { cluster, user } = place;
  const version = await clusterVersion(cluster);
  if (version === EMBEDDED_MAJOR) {
    if (!(await hasRoles(cluster, options.passwords))) await resetRoles(cluster, { ...options, user });
    return;
  }
  if (version !== undefined) throw new Error(wrongVersion(cluster, version));
  await removeAbandonedDrafts(cluster);
  const draft = `${cluster}.${process.pid}`;
  try {
    await createCluster(draft, place, { ...options, user });
    await rename(draft, cluster).catch(async (error: unknown) => {
      // Another process was faster: its cluster is used.
      if ((await clusterVersion(cluster)) !== EMBEDDED_MAJOR) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A process that is killed leaves half a cluster, named by its process id. */
async function removeAbandonedDrafts(cluster: string): Promise<void> {
  const prefix = `${basename(cluster)}.`;
  for (const name of await readdir(dirname(cluster))) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (!Number.isInteger(pid) || (await processState(pid)) !== undefined) continue;
    // Children of that process may still write for a moment.
    const retries = { maxRetries: 10, retryDelay: 100 };
    await rm(join(dirname(cluster), name), { recursive: true, force: true, ...retries });
  }
}

async function createCluster(directory: string, place: ClusterHome, options: RoleOptions): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await ownDirectory(directory, place.user);
  const args = ['-D', directory, ...INITDB_OPTIONS, ...(options.durable ? [] : ['--no-sync'])];
  await runProgram({ ...options, program: 'initdb', args, input: '' }).catch(throwWithRemedy);
  await createRoles(directory, options);
}

/** Containers often run as a user that has no account. */
function throwWithRemedy(error: Error): never {
  const [, uid] = /could not look up effective user ID (\d+)/.exec(error.message) ?? [];
  if (uid === undefined) throw error;
  throw new Error(
    `PostgreSQL does not run for user ${uid}, which no account of this machine has: ` +
      'add one to /etc/passwd, install the package libnss-wrapper, run Freehold as another user, or set DATABASE_URL to a server elsewhere.',
  );
}

const INITDB_OPTIONS = [
  `--username=${SUPERUSER_NAME}`,
  // Until the roles have passwords.
  '--auth-local=reject',
  '--auth-host=reject',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
];

async function clusterVersion(cluster: string): Promise<string | undefined> {
  return (await readIfExists(join(cluster, 'PG_VERSION')))?.trim();
}

function wrongVersion(cluster: string, version: string): string {
  return (
    `${cluster} was made by PostgreSQL ${version}, but version ${EMBEDDED_MAJOR} is installed. ` +
    'Back it up with the release of Freehold that made it and restore the backup with this one.'
  );
}
