// The version of the project: read from package.json, and written into every file that names it.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Besides package.json and the lock file: they name the version behind the project's name (`freehold-0.2.0.tgz`, `Freehold 0.2.0`). */
const NAMING = [
  'README.md',
  'docs/*.md',
  'packages/client/README.md',
  'Containerfile',
  'compose.yaml',
  'deploy/**/*',
  '.github/workflows/*.yml',
];

/** The service and its client, which has the same version. */
const PACKAGES = ['package.json', 'packages/client/package.json'];

export function readVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Writes the version everywhere but into openapi.json, which is made from the routes. */
export function writeVersion(root: string, from: string, to: string): void {
  if (from === to) return;
  const field = new RegExp(
    `("name": "(?:freehold|@freehold/client)",\\s+"version": ")${escaped(from)}(")`,
    'g',
  );
  const mention = new RegExp(`(freehold(?:-client)?[-:@ ]v?)${escaped(from)}(?![\\d.]*\\d)`, 'gi');
  for (const path of [...PACKAGES, 'package-lock.json']) replaceIn(join(root, path), field, `$1${to}$2`);
  replaceIn(join(root, 'packages/client/src/version.ts'), new RegExp(`'${escaped(from)}'`, 'g'), `'${to}'`);
  for (const path of ['server.json', 'skills/freehold/SKILL.md'])
    replaceIn(join(root, path), new RegExp(`(\\bversion"?: ")${escaped(from)}(")`, 'g'), `$1${to}$2`);
  for (const entry of globSync(NAMING, { cwd: root, withFileTypes: true }))
    if (entry.isFile()) replaceIn(join(entry.parentPath, entry.name), mention, `$1${to}`);
}

/**
 * Names the repository in each package.json, which the provenance of a published package is checked against. Returns false if it knows
 * none: package.json has none, and git has no remote `origin` that is a web address.
 */
export function writeRepository(root: string, origin: string): boolean {
  return PACKAGES.every((path) => nameRepository(root, path, origin));
}

function nameRepository(root: string, path: string, origin: string): boolean {
  const file = join(root, path);
  const { repository, ...metadata } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly repository?: unknown;
  };
  if (repository !== undefined) return true;
  const [, host, project] =
    /^(?:https:\/\/|git@|ssh:\/\/git@)([\w.-]+)[/:]([\w./-]+?)(?:\.git)?$/.exec(origin) ?? [];
  if (host === undefined) return false;
  const url = `https://${host}/${project}`;
  const folder = dirname(path);
  const named = {
    ...metadata,
    repository: { type: 'git', url: `git+${url}.git`, ...(folder !== '.' && { directory: folder }) },
    homepage: `${url}#readme`,
    bugs: `${url}/issues`,
  };
  writeFileSync(file, `${JSON.stringify(named, null, 2)}\n`);
  return true;
}

function replaceIn(path: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(path, 'utf8');
  const replaced = text.replaceAll(pattern, replacement);
  if (replaced !== text) writeFileSync(path, replaced);
}

function escaped(version: string): string {
  return version.replaceAll('.', '\\.');
}
