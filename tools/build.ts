// Build of the npm package: the tree of the checkout in build/, with JavaScript and declarations in place of TypeScript.

import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const BUILD = join(ROOT, 'build');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** What running code reads besides modules, below the folder of the checkout. */
const ASSETS = [
  'src/**/*.{json,sql}',
  'sample/**/*.{json,geojson}',
  'docs/*.md',
  'docs/examples/*',
  'openapi.json',
];

/** Programs of threads and processes are named by URLs, which the compiler leaves as they are written. */
const PROGRAM_URL = /(new URL\('\.{1,2}\/[^']+)\.ts(', import\.meta\.url\))/g;

rmSync(BUILD, { recursive: true, force: true });
for (const project of ['src/explore/browser/tsconfig.package.json', 'tsconfig.package.json']) {
  const { status } = spawnSync(process.execPath, [COMPILER, '--project', project], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The package was not built: the compiler failed');
}
for (const path of globSync('**/*.js', { cwd: BUILD })) nameCompiledPrograms(join(BUILD, path));
for (const path of globSync(ASSETS, { cwd: ROOT, exclude: ['**/tsconfig*.json'] })) copyAsset(path);

function nameCompiledPrograms(file: string): void {
  const text = readFileSync(file, 'utf8');
  const renamed = text.replaceAll(PROGRAM_URL, '$1.js$2');
  if (/'\.{1,2}\/[^']+\.ts'/.test(renamed))
    throw new Error(`${file} names a TypeScript file, which is not packed`);
  if (renamed !== text) writeFileSync(file, renamed);
}

function copyAsset(path: string): void {
  const target = join(BUILD, path);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(ROOT, path), target);
}
