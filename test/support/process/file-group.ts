// Test files that one process runs one after another: modules are loaded and compiled once for all of them.

import { join, relative } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../code/source-files.ts';

/** Where the suite of each file is made, as the events of the test runner name it. */
export const GROUP_MODULE = import.meta.filename;

/** Milliseconds for what a file begins with, and again for its tests: a file that hangs fails by its name, and the next one runs. */
const FILE_LIMIT = 8 * 60_000;
/** Milliseconds after the last file in which sockets and timers may end by themselves. */
const END_LIMIT = 20_000;

/**
 * Runs each file as a suite named by its path below the project's folder. What the file begins with belongs to its suite,
 * so hooks of the file end with it, before the next file is loaded.
 */
export async function runFiles(files: readonly string[]): Promise<void> {
  // Where nothing else keeps the process alive, the test runner ends with the suite that it has, and cancels those that follow.
  const alive = setInterval(() => {}, 60_000);
  for (const file of files)
    await suite(relative(ROOT, file), { timeout: FILE_LIMIT }, () => withinLimit(file));
  clearInterval(alive);
  // Never runs where nothing keeps the process alive.
  setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(', ');
    console.error(`Files that were run leave something open (${left}): ${files.join(', ')}`);
    process.exit();
  }, END_LIMIT).unref();
}

/** Loads a file, which defines its tests and starts what they share. Rejects if that does not end in time. */
async function withinLimit(file: string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`What the file begins with has not ended after ${FILE_LIMIT / 60_000} minutes`)),
    FILE_LIMIT,
  );
  try {
    await Promise.race([import(pathToFileURL(file).href), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Text of a module that runs these files. */
export function groupText(files: readonly string[]): string {
  const [runner, group] = [join(import.meta.dirname, 'light-runner.ts'), GROUP_MODULE].map((path) =>
    JSON.stringify(pathToFileURL(path).href),
  );
  return `import ${runner};\nconst { runFiles } = await import(${group});\nawait runFiles(${JSON.stringify(files)});\n`;
}
