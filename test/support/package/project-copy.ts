// Copy of the project as a repository of its own, so that a release can be made of it.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from '../code/source-files.ts';
import { type Closing, temporaryFolder } from '../database/database.ts';

/** Without any registry: what asks one fails at once. */
const OFFLINE = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };

export interface ProjectCopy {
  readonly folder: string;
  git(...args: readonly string[]): string;
  /** Commits everything. */
  commit(): void;
  /** Runs the release tool; gives its exit code and all that it wrote. */
  release(...args: readonly string[]): { readonly code: number | null; readonly output: string };
}

/** The tracked files as they are now, committed once, with the installed packages of this checkout. */
export async function copyProject(t: Closing): Promise<ProjectCopy> {
  const folder = await temporaryFolder(t, 'release');
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  const paths = listed
    .toString()
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));
  for (const parent of new Set(paths.map((path) => dirname(join(folder, path)))))
    await mkdir(parent, { recursive: true });
  await Promise.all(paths.map((path) => cp(join(ROOT, path), join(folder, path))));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  const commit = () => {
    git('add', '--all');
    git(
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@example.com',
      'commit',
      '--quiet',
      '--message',
      'A change',
    );
  };
  git('init', '--quiet');
  // A link is no folder, which the project's own rules would ignore.
  await writeFile(join(folder, '.git/info/exclude'), 'node_modules\n');
  commit();
  const release = (...args: readonly string[]) => runTool(folder, args);
  return { folder, git, commit, release };
}

function runTool(folder: string, args: readonly string[]) {
  const env = { ...process.env, ...OFFLINE };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/release.ts', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { code: status, output: `${stdout}${stderr}` };
}
