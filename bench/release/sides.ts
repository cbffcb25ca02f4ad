// Sides of a comparison with a former release: the sources of each, and a market of its own that its own load has filled.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { socketUrl } from '../../src/postgres/client/connection-url.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

/** What is compared, and where both markets are kept for the next run: three gigabytes for 259,000 listings. */
export interface Releases {
  /** A commit of this repository, which a shallow clone may lack. */
  readonly release: string;
  readonly listings: number;
  readonly folder: string;
}

/** One side, with its server running. */
export interface Side {
  /** The folder of its sources. */
  readonly tree: string;
  /** The folder of its market. */
  readonly cluster: string;
  readonly databaseUrl: string;
  close(): Promise<void>;
}

export interface Sides {
  readonly ours: Side;
  readonly theirs: Side;
  close(): Promise<void>;
}

/** Fills both markets where nobody has, and starts both servers; `copied`: on copies, which are thrown away. */
export async function openSides(releases: Releases, copied = false): Promise<Sides> {
  const former = await sourcesOf(releases);
  const ours = await openSide(releases, 'now', REPOSITORY, copied);
  const theirs = await openSide(releases, `at-${releases.release}`, former, copied);
  const close = async (): Promise<void> => {
    await Promise.all([ours.close(), theirs.close()]);
  };
  return { ours, theirs, close };
}

/**
 * Programs of the load in which faults of releases were mended: homes that a small market left out, and a check that compared
 * places in the log.
 */
const MENDED = ['bench/million/writer.ts', 'bench/million/check.ts'];

/** The sources of the release; they share our packages. */
async function sourcesOf({ release, folder }: Releases): Promise<string> {
  const tree = join(folder, `sources-${release}`);
  await rm(tree, { recursive: true, force: true });
  await mkdir(tree, { recursive: true });
  const archive = execFileSync('git', ['-C', REPOSITORY, 'archive', release], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  for (const file of MENDED) await copyFile(join(REPOSITORY, file), join(tree, file));
  await symlink(join(REPOSITORY, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

async function openSide(
  { listings, folder }: Releases,
  name: string,
  tree: string,
  copied: boolean,
): Promise<Side> {
  const kept = join(folder, `${name}-${listings}`);
  const load = [process.execPath, join(tree, 'bench/million/load.ts'), kept, String(listings)];
  // On both cores, where this process and all that it starts have but one.
  if (!existsSync(join(kept, 'loaded.json')))
    execFileSync('taskset', ['-c', '0,1', ...load], { stdio: 'inherit' });
  const cluster = copied ? `${kept}-copy` : kept;
  if (copied) {
    await rm(cluster, { recursive: true, force: true });
    // With its owner, who alone may start the server.
    execFileSync('cp', ['-a', kept, cluster]);
  }
  const server = await startEmbedded({ dataDirectory: cluster, log: () => {} });
  const close = async (): Promise<void> => {
    await server.stop();
    if (copied) await rm(cluster, { recursive: true, force: true });
  };
  return { tree, cluster, databaseUrl: socketUrl(server.connection), close };
}
