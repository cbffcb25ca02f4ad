// Test files that one process runs one after another: modules are loaded and compiled once for all of them.

import { relative } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../code/source-files.ts';

/** Where the suite of each file is made, as the events of the test runner name it. */
export const GROUP_MODULE = import.meta.filename;

/**
 * Runs each file as a suite named by its path below the project's folder. What the file begins with belongs to its suite,
 * so hooks of the file end with it, before the next file is loaded.
 */
export async function runFiles(files: readonly string[]): Promise<void> {
  // Where nothing else keeps the process alive, the test runner ends with the suite that it has, and cancels those that follow.
  const alive = setInterval(() => {}, 60_000);
  for (const file of files)
    await suite(relative(ROOT, file), async () => void (await import(pathToFileURL(file).href)));
  clearInterval(alive);
}

/** Text of a module that runs these files. */
export function groupText(files: readonly string[]): string {
  return `import { runFiles } from ${JSON.stringify(pathToFileURL(GROUP_MODULE).href)};\nawait runFiles(${JSON.stringify(files)});\n`;
}
