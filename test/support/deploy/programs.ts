// Programs of the machine that tests of the deployment need: found, or the reason why tests are skipped.

import { type ExecFileOptions, execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Why a test is skipped that needs these programs; false: all are there. Debian's package is named where it has another name. */
export function withoutPrograms(...programs: readonly (readonly [program: string, debian: string])[]) {
  const missing = programs.filter(([program]) => !isInstalled(program));
  if (missing.length === 0) return false;
  return missing.map(([program, debian]) => `no ${program} (Debian's package ${debian})`).join(', ');
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Bytes. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a program; gives its output. Throws with all that it wrote if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...args], {
    maxBuffer: MAX_OUTPUT,
    ...options,
    encoding: 'utf8',
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`, { cause: error });
  });
  return stdout.trim();
}
