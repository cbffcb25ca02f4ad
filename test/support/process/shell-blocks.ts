// Shell commands of a documentation page, run in order against a service of the test's own.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keyVariable, type SampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { PLANS } from '../../../src/access/tiers/tiers.ts';
import { ROOT } from '../code/source-files.ts';

/** Where the pages say that the service is. */
const ADDRESS = 'http://127.0.0.1:8080';
const MARK = '=== next block ===';
const INSPECTOR = join(ROOT, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/** The blocks marked `sh`: they share one shell, as a reader's would. */
export function shellBlocks(page: string): string[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
}

/** Puts the keys where a service in this folder would have put them. */
export async function writeKeys(folder: string, keys: SampleKeys): Promise<void> {
  const lines = PLANS.map((plan) => `${keyVariable(plan)}=${keys[plan]}\n`);
  await mkdir(join(folder, '.freehold'));
  await writeFile(join(folder, '.freehold', 'keys.env'), lines.join(''));
}

/** Runs the blocks one after another in one shell in this folder; gives what each printed. Throws where a command fails. */
export async function follow(
  blocks: readonly string[],
  folder: string,
  url: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const script = [
    'set -euo pipefail',
    'curl() { command curl --silent --show-error --fail-with-body --max-time 30 "$@"; }',
    // 3: done, but rows were rejected, of which the examples have one.
    `freehold() { ${process.execPath} ${join(ROOT, 'bin/freehold.js')} "$@" || [ $? -eq 3 ]; }`,
    `inspector() { ${process.execPath} ${INSPECTOR} "$@"; }`,
    // The last part of a package's name is the program.
    'npx() { local program="${1##*/}"; shift; "$program" "$@"; }',
    ...blocks.map(
      (commands) =>
        `${commands.replaceAll(ADDRESS, url).replaceAll('bin/freehold.js', 'freehold')}\necho; echo '${MARK}'`,
    ),
  ].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: folder,
    env: { ...process.env, ...environment },
  });
  return stdout.split(MARK).slice(0, -1);
}
