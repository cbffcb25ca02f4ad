// The version of the project: read from package.json, and written into every file that names it.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Besides package.json and the lock file: they name the version behind the project's name (`freehold-0.2.0.tgz`, `Freehold 0.2.0`). */
const NAMING = [
  'README.md',
  'docs/*.md',
  'Containerfile',
  'compose.yaml',
  'deploy/**/*',
  '.github/workflows/*.yml',
];

export function readVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Writes the version everywhere but into openapi.json, which is made from the routes. */
export function writeVersion(root: string, from: string, to: string): void {
  if (from === to) return;
  const field = new RegExp(`("name": "freehold",\\s+"version": ")${escaped(from)}(")`, 'g');
  const mention = new RegExp(`(freehold[-:@ ]v?)${escaped(from)}(?![\\d.]*\\d)`, 'gi');
  for (const path of ['package.json', 'package-lock.json']) replaceIn(join(root, path), field, `$1${to}$2`);
  for (const entry of globSync(NAMING, { cwd: root, withFileTypes: true }))
    if (entry.isFile()) replaceIn(join(entry.parentPath, entry.name), mention, `$1${to}`);
}

/**
 * Names the repository in package.json, which the provenance of a published package is checked against. Returns false if it knows
 * none: package.json has none, and git has no remote `origin` that is a web address.
 */
export function writeRepository(root: string, origin: string): boolean {
  const file = join(root, 'package.json');
  const { repository, ...metadata } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly repository?: unknown;
  };
  if (repository !== undefined) return true;
  const [, host, path] =
    /^(?:https:\/\/|git@|ssh:\/\/git@)([\w.-]+)[/:]([\w./-]+?)(?:\.git)?$/.exec(origin) ?? [];
  if (host === undefined) return false;
  const url = `https://${host}/${path}`;
  const named = {
    ...metadata,
    repository: { type: 'git', url: `git+${url}.git` },
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
