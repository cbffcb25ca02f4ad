// Packages of test/clients: clients of the API that must not stand among the service's own packages.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../code/source-files.ts';

export const CLIENTS = join(ROOT, 'test/clients');
const LOCK = join(CLIENTS, 'package-lock.json');
/** The lock file as of the last installation, which removes it first. */
const INSTALLED = join(CLIENTS, 'node_modules/.installed-lock.json');
/** Why the installation failed, for the processes of the tests. */
const REASON = 'FREEHOLD_TEST_CLIENTS_REASON';
/** Milliseconds; most of it is for a slow registry. */
const TIMEOUT = 5 * 60_000;

const isInstalled = (): boolean =>
  existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(LOCK, 'utf8');

/** Installs the packages if the lock file has changed since the last time, without their scripts. */
export async function installClients(): Promise<void> {
  if (isInstalled()) return;
  const npm = process.env.npm_execpath;
  const [program, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1'];
  try {
    await promisify(execFile)(program, [...first, ...args], { cwd: CLIENTS, timeout: TIMEOUT });
    await copyFile(LOCK, INSTALLED);
  } catch (error) {
    const [reason = ''] = /npm error .*(?:request to|ENO|EAI|ECONN|ETIMEDOUT).*/.exec(String(error)) ?? [];
    process.env[REASON] = reason === '' ? String(error).slice(0, 500) : reason;
  }
}

/** Why tests that need the packages are skipped; false: they run. */
export function clientsSkip(): string | false {
  if (isInstalled()) return false;
  const reason = process.env[REASON] ?? '`npm test` installs them';
  return `not installed: the packages of test/clients (${reason})`;
}
