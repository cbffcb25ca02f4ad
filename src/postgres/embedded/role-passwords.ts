// Passwords of the embedded server's two roles, in a file that only the owner of the service can read.

import { createHash } from 'node:crypto';
import { chown, link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../lib/json.ts';
import { randomToken } from '../../lib/secrets.ts';

export interface RolePasswords {
  readonly superuser: string;
  readonly service: string;
}

/** In the data directory. A lost file is no loss: the next start sets new passwords. */
export const PASSWORDS_FILE = 'postgres-passwords.json';

/** The passwords of a data directory's server, made when first asked for; several processes may ask at once. */
export async function rolePasswords(dataDirectory: string): Promise<RolePasswords> {
  const file = join(dataDirectory, PASSWORDS_FILE);
  return (await readPasswords(file)) ?? createPasswords(dataDirectory, file);
}

/** Tells these passwords from any others; they are too long to be guessed from it. */
export function fingerprint({ superuser, service }: RolePasswords): string {
  return createHash('sha256').update(`${superuser}\n${service}`).digest('hex');
}

async function readPasswords(file: string): Promise<RolePasswords | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code !== 'EACCES') throw error;
    throw new Error(`${file} is closed to this user: run this as the user that runs the service.`);
  });
  if (text === undefined) return undefined;
  const { superuser, service } = parse(text);
  if (isPassword(superuser) && isPassword(service)) return { superuser, service };
  throw new Error(`${file} is damaged. Remove it: the next start sets new passwords.`);
}

function parse(text: string): Partial<Record<keyof RolePasswords, unknown>> {
  return Object(parseJson(text)) as Partial<Record<keyof RolePasswords, unknown>>;
}

/** Nothing that a quoted text of SQL would end at. */
function isPassword(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{32,128}$/.test(value);
}

/** Written beside and linked into place, so that the first of several processes wins and nobody reads half a file. */
async function createPasswords(dataDirectory: string, file: string): Promise<RolePasswords> {
  const made: RolePasswords = { superuser: randomToken(), service: randomToken() };
  const draft = `${file}.${randomToken(6)}`;
  try {
    await writeFile(draft, `${JSON.stringify(made, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await giveToOwner(draft, dataDirectory);
    await link(draft, file);
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readPasswords(file)) ?? made;
  } finally {
    await rm(draft, { force: true });
  }
}

/** What root makes in the folder of a service account must be that account's to read. */
async function giveToOwner(file: string, dataDirectory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dataDirectory);
  await chown(file, uid, gid);
}
