// The package of the client as a program has it: compiled, in the node_modules of a folder.

import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../code/source-files.ts';

const PACKAGE = join(ROOT, 'packages/client');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Compiles it into this folder, beside the one package that it needs. */
export async function placeClient(folder: string): Promise<void> {
  const place = join(folder, 'node_modules/@freehold/client');
  await mkdir(place, { recursive: true });
  await cp(join(PACKAGE, 'package.json'), join(place, 'package.json'));
  const settings = join(PACKAGE, 'tsconfig.package.json');
  await promisify(execFile)(process.execPath, [COMPILER, '-p', settings, '--outDir', join(place, 'build')]);
  for (const name of ['eventsource-parser', '@types', 'undici-types'])
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
}

/** Checks all programs of the folder with the strictest settings that a project may have. Throws what is wrong. */
export async function checkPrograms(folder: string, files: readonly string[]): Promise<void> {
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const modules = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024', '--types', 'node'];
  await promisify(execFile)(process.execPath, [COMPILER, ...options, ...modules, ...files], {
    cwd: folder,
  }).catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
}
