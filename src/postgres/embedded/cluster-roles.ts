// Roles of the embedded cluster: a superuser that the service never uses, and the service's own; each with a password.

import { createHash } from 'node:crypto';
import { chown, link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../lib/parse.ts';
import { randomToken } from '../../lib/secrets.ts';
import { type Binaries, runProgram } from './binaries.ts';
import type { ServerUser } from './cluster-home.ts';
import { ClusterTaken } from './server-process.ts';

/** The service's role, and the database that it owns. */
export const EMBEDDED_NAME = 'freehold';
export const SUPERUSER_NAME = 'postgres';

export interface RoleOptions {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly passwords: RolePasswords;
  readonly durable: boolean;
}

/** In the cluster: tells which passwords its roles have. */
const MARK = 'freehold-roles';
/** By the socket and with a password: nobody, not even a process of the server's own account, gets in without. */
const ACCESS_RULES = 'local all all scram-sha-256\n';

/** Whether the cluster's roles have these passwords and nobody gets in without. */
export async function hasRoles(cluster: string, passwords: RolePasswords): Promise<boolean> {
  const mark = await readFile(join(cluster, MARK), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return mark === fingerprint(passwords);
}

/** Makes the roles and the database in a cluster that initdb has just made. */
export async function createRoles(cluster: string, options: RoleOptions): Promise<void> {
  const database = `create database ${EMBEDDED_NAME} owner ${EMBEDDED_NAME}`;
  await runSingleUser(cluster, 'postgres', [...roleStatements(options.passwords), database], options);
  await finish(cluster, options);
}

/**
 * Gives the roles of a cluster these passwords, whatever they had: the file was lost, the cluster is a restored one, or
 * an earlier release let the server's account in without. No server may run on it. Can be repeated after a failure.
 */
export async function resetRoles(cluster: string, options: RoleOptions): Promise<void> {
  // In this mode a session stays with the role that it changed to, so the rest is for others.
  await runSingleUser(cluster, 'postgres', [RENAME_SUPERUSER], options);
  const roles = ['drop role if exists freehold_rename', ...roleStatements(options.passwords)];
  const owner = `alter database ${EMBEDDED_NAME} owner to ${EMBEDDED_NAME}`;
  await runSingleUser(cluster, 'postgres', [...roles, owner], options);
  await runSingleUser(cluster, EMBEDDED_NAME, [GIVE_OBJECTS], options);
  await finish(cluster, options);
}

async function finish(cluster: string, { user, passwords }: RoleOptions): Promise<void> {
  await writeOwned(join(cluster, 'pg_hba.conf'), ACCESS_RULES, user);
  await writeOwned(join(cluster, MARK), fingerprint(passwords), user);
}

async function writeOwned(file: string, content: string, user: ServerUser | undefined): Promise<void> {
  await writeFile(file, content, { mode: 0o600 });
  if (user !== undefined) await chown(file, user.uid, user.gid);
}

function roleStatements({ superuser, service }: RolePasswords): string[] {
  return [
    `alter role ${SUPERUSER_NAME} password '${superuser}'`,
    block(`if not exists (select from pg_roles where rolname = '${EMBEDDED_NAME}') then
      create role ${EMBEDDED_NAME}; end if;`),
    `alter role ${EMBEDDED_NAME} login nosuperuser password '${service}'`,
  ];
}

/** The first role of a cluster cannot cease to be superuser, and no session renames its own: one made for it does. */
const RENAME_SUPERUSER = block(`if (select rolname from pg_roles where oid = 10) <> '${SUPERUSER_NAME}' then
  create role freehold_rename superuser;
  set local session authorization freehold_rename;
  execute format('alter role %I rename to ${SUPERUSER_NAME}', (select rolname from pg_roles where oid = 10));
end if;`);

/** All that the superuser owns in the schema of the tables; sequences and indexes follow their tables. */
const GIVE_OBJECTS = block(`declare statement text;
begin
  for statement in
    select format('alter table %s owner to ${EMBEDDED_NAME}', oid::regclass) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') and relowner = 10
    union all
    select format('alter routine %s owner to ${EMBEDDED_NAME}', oid::regprocedure) from pg_proc
    where pronamespace = 'public'::regnamespace and proowner = 10
    union all
    select format('alter type %s owner to ${EMBEDDED_NAME}', oid::regtype) from pg_type
    where typnamespace = 'public'::regnamespace and typowner = 10 and typtype in ('d', 'e', 'r')
  loop execute statement; end loop;
end;`);

/** One line: that is where a statement ends in single-user mode. */
function block(body: string): string {
  const text = body.startsWith('declare') ? body : `begin ${body} end;`;
  return `do $$ ${text.replaceAll(/\s+/g, ' ')} $$`;
}

async function runSingleUser(
  cluster: string,
  database: string,
  statements: readonly string[],
  { binaries, user, durable }: RoleOptions,
): Promise<void> {
  // Statements hold passwords, which an error must not repeat.
  const settings = ['-c', 'log_min_error_statement=panic', ...(durable ? [] : ['-c', 'fsync=off'])];
  const args = ['--single', '-D', cluster, ...settings, database];
  const input = `${statements.join('\n')}\n`;
  const said = await runProgram({ binaries, user, program: 'postgres', args, input }).catch(
    (error: Error) => {
      throw /lock file "postmaster\.pid" already exists/.test(error.message)
        ? new ClusterTaken('Another PostgreSQL server holds the cluster', { cause: error })
        : error;
    },
  );
  // In this mode the exit code does not tell of a statement that failed.
  const failure = said.split('\n').find((line) => /\b(?:ERROR|FATAL|PANIC):/.test(line));
  if (failure !== undefined) throw new Error(`The roles of ${cluster} cannot be set: ${failure.trim()}`);
}

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

export function parse(text: string): Partial<Record<keyof RolePasswords, unknown>> {
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
