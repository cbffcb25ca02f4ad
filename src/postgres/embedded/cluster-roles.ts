// Roles of the embedded cluster and their passwords: a superuser that the service never uses, and the service's own role.

import { createHash } from 'node:crypto';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFile, readIfExists } from '../../lib/files.ts';
import { parseJson } from '../../lib/parse.ts';
import { randomToken } from '../../lib/secrets.ts';
import { type Binaries, runProgram } from './binaries.ts';
import type { ServerUser } from './cluster-home.ts';
import { ClusterInUse } from './server-process.ts';

/** The service's role, and the database that it owns. */
export const EMBEDDED_NAME = 'freehold';
export const SUPERUSER_NAME = 'postgres';

export interface RoleOptions {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly passwords: RolePasswords;
  readonly durable: boolean;
}

/** In the cluster: the fingerprint of its roles' passwords. */
const MARK = 'freehold-roles';
/** Only by the socket, and only with a password, even for the server's own account. */
const ACCESS_RULES = 'local all all scram-sha-256\n';

/** Whether the cluster's roles have these passwords, and nobody can connect without. */
export async function hasRoles(cluster: string, passwords: RolePasswords): Promise<boolean> {
  return (await readIfExists(join(cluster, MARK))) === fingerprint(passwords);
}

/** Creates the roles and the database in a cluster that initdb has just created. */
export async function createRoles(cluster: string, options: RoleOptions): Promise<void> {
  const database = `create database ${EMBEDDED_NAME} owner ${EMBEDDED_NAME}`;
  await runSingleUser(cluster, 'postgres', [...roleStatements(options.passwords), database], options);
  await finish(cluster, options);
}

/**
 * Sets the passwords of a cluster's roles: their file was lost, the cluster was restored, or an earlier release needed no
 * passwords. No server may run on it. Can be repeated after a failure.
 */
export async function resetRoles(cluster: string, options: RoleOptions): Promise<void> {
  // A session in single-user mode keeps the role that it changed to, so the rest takes further sessions.
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

/** The first role of a cluster must stay superuser, and no session can rename its own role: a temporary role does. */
const RENAME_SUPERUSER = block(`if (select rolname from pg_roles where oid = 10) <> '${SUPERUSER_NAME}' then
  create role freehold_rename superuser;
  set local session authorization freehold_rename;
  execute format('alter role %I rename to ${SUPERUSER_NAME}', (select rolname from pg_roles where oid = 10));
end if;`);

/** What the superuser owns in the schema `public`; indexes and the sequences of columns follow their tables. */
const GIVE_OBJECTS = block(`declare statement text;
begin
  for statement in
    select format('alter table %s owner to ${EMBEDDED_NAME}', oid::regclass) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') and relowner = 10
    union all
    select format('alter sequence %s owner to ${EMBEDDED_NAME}', oid::regclass) from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S' and relowner = 10
      and not exists (select from pg_depend where objid = pg_class.oid and refobjsubid > 0 and deptype in ('a', 'i'))
    union all
    select format('alter routine %s owner to ${EMBEDDED_NAME}', oid::regprocedure) from pg_proc
    where pronamespace = 'public'::regnamespace and proowner = 10
    union all
    select format('alter type %s owner to ${EMBEDDED_NAME}', oid::regtype) from pg_type
    where typnamespace = 'public'::regnamespace and typowner = 10 and typtype in ('d', 'e', 'r')
  loop execute statement; end loop;
end;`);

/** On one line, since a statement ends there in single-user mode. */
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
  // Statements contain passwords, which errors must not repeat.
  const settings = ['-c', 'log_min_error_statement=panic', ...(durable ? [] : ['-c', 'fsync=off'])];
  const args = ['--single', '-D', cluster, ...settings, database];
  const input = `${statements.join('\n')}\n`;
  const output = await runProgram({ binaries, user, program: 'postgres', args, input }).catch(
    (error: Error) => {
      throw /lock file "postmaster\.pid" already exists/.test(error.message)
        ? new ClusterInUse('Another PostgreSQL server uses the cluster', { cause: error })
        : error;
    },
  );
  // In single-user mode a failed statement does not show in the exit code.
  const failure = output.split('\n').find((line) => /\b(?:ERROR|FATAL|PANIC):/.test(line));
  if (failure !== undefined) throw new Error(`The roles of ${cluster} cannot be set: ${failure.trim()}`);
}

export interface RolePasswords {
  readonly superuser: string;
  readonly service: string;
}

/** In the data directory. If it is lost, the next start sets new passwords. */
export const PASSWORDS_FILE = 'postgres-passwords.json';

/** The passwords of a data directory's server, created by the first of several processes. */
export async function rolePasswords(dataDirectory: string): Promise<RolePasswords> {
  const file = join(dataDirectory, PASSWORDS_FILE);
  return (await readPasswords(file)) ?? createPasswords(file);
}

/** A hash; the passwords are too long to be guessed from it. */
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
  const { superuser, service } = Object(parseJson(text)) as Partial<Record<keyof RolePasswords, unknown>>;
  if (isPassword(superuser) && isPassword(service)) return { superuser, service };
  throw new Error(`${file} is damaged. Remove it: the next start sets new passwords.`);
}

export /** No character that would end a quoted text in SQL. */
function isPassword(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{32,128}$/.test(value);
}

/** Those of the first of several processes. */
async function createPasswords(file: string): Promise<RolePasswords> {
  const passwords: RolePasswords = { superuser: randomToken(), service: randomToken() };
  if (await createPrivateFile(file, `${JSON.stringify(passwords, undefined, 2)}\n`)) return passwords;
  return (await readPasswords(file)) ?? passwords;
}
