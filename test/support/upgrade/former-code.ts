// Code of the former release, from the history of this checkout, as a folder whose commands can be run.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../code/source-files.ts';
import { type Closing, temporaryFolder } from '../database/database.ts';

const git = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('git', ['-C', ROOT, ...args])).stdout.trim();

/**
 * The commit of the newest release that can work beside this checkout. Where none is tagged that can: the one before the first
 * migration since `migration`, the last that took something away. Null where the history does not go back so far.
 */
export async function findFormerCommit(migration: number): Promise<string | null> {
  try {
    const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').catch(() => '');
    const isBeside = tag !== '' && (await migrationsOf(tag)).some((number) => number >= migration);
    if (isBeside) return await git('rev-parse', `${tag}^{commit}`);
    const next = (await migrationsOf('HEAD')).find((number) => number > migration);
    if (next === undefined) return null;
    const path = `src/postgres/migrations/${String(next).padStart(3, '0')}_*.sql`;
    const added = await git('log', '--diff-filter=A', '-1', '--format=%H', '--', path);
    return await git('rev-parse', '--verify', `${added}^`);
  } catch {
    return null;
  }
}

/** Numbers of the migrations that a commit has. */
async function migrationsOf(commit: string): Promise<readonly number[]> {
  const names = await git('ls-tree', '--name-only', commit, 'src/postgres/migrations/');
  return [...names.matchAll(/\/(\d{3})_\w+\.sql$/gm)]
    .map(([, number]) => Number(number))
    .toSorted((a, b) => a - b);
}

/** Unpacks a commit beside the packages of this checkout; gives its launcher. */
export async function unpackCommit(t: Closing, commit: string): Promise<string> {
  const folder = await temporaryFolder(t, 'former');
  const archive = spawn(
    'git',
    ['-C', ROOT, 'archive', commit, 'bin', 'src', 'sample', 'package.json', 'docs', 'openapi.json'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const unpack = spawn('tar', ['-x', '-C', folder], { stdio: [archive.stdout, 'inherit', 'inherit'] });
  const [[archived], [unpacked]] = await Promise.all([once(archive, 'exit'), once(unpack, 'exit')]);
  if (archived !== 0 || unpacked !== 0) throw new Error(`The commit ${commit} cannot be unpacked`);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/freehold.js');
}
