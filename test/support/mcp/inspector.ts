// Command line of the official MCP Inspector, run as people would.

import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json'));
const PROGRAM = join(PACKAGE, '../clients/launcher/build/index.js');
/** Milliseconds for one run. */
const TIMEOUT = 60_000;

export interface InspectorRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it with a home folder of its own below `folder`. */
export async function runInspector(folder: string, args: readonly string[]): Promise<InspectorRun> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, '--cli', ...args],
      { env: { ...process.env, HOME: home }, timeout: TIMEOUT },
      (_error, stdout, stderr) => resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
}
