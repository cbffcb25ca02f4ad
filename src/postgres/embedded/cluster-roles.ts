// Roles of the embedded cluster: a superuser that the service never uses, and the service's own; each with a password.

import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { fingerprint, type RolePasswords } from './role-passwords.ts';
import { runProgram } from './run-program.ts';
import { ClusterTaken } from './server-process.ts';
import type { ServerUser } from './server-user.ts';

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
