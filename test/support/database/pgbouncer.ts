// PgBouncer of the machine's own for tests: a pooler before a server that is reached over TCP.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDatabaseUrl } from '../../../src/postgres/client/connection-url.ts';
import { ownDirectory, serverUser } from '../../../src/postgres/embedded/cluster-home.ts';
import { until } from '../check/until.ts';
import { isListening, quietPort } from '../service/ports.ts';
import { atEnd, type Closing, temporaryFolder } from './database.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
const found = await access(PROGRAM).then(
  () => true,
  () => false,
);
/** Why tests of it are skipped; false where they are not. */
export const withoutPgbouncer = found ? false : `no PgBouncer at ${PROGRAM}`;

/** Starts one before the server of this URL; gives the URL that leads through it. */
export async function startPgbouncer(
  t: Closing,
  url: string,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const { host, port, database, user, password = '' } = parseDatabaseUrl(url);
  const folder = await temporaryFolder(t, 'pooler');
  const owner = await serverUser(folder);
  await ownDirectory(folder, owner);
  const own = await quietPort();
  const users = join(folder, 'users');
  await writeFile(users, `"${user}" "${password}"\n`, { mode: 0o644 });
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: String(own),
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: users,
    logfile: join(folder, 'log'),
    ...settings,
  };
  const file = join(folder, 'pgbouncer.ini');
  const server = `host=${host} port=${port} dbname=${database} user=${user} password=${password}`;
  const text = Object.entries(lines).map(([name, value]) => `${name} = ${value}`);
  await writeFile(file, ['[databases]', `${database} = ${server}`, '[pgbouncer]', ...text, ''].join('\n'), {
    mode: 0o644,
  });
  const child = spawn(PROGRAM, ['-q', file], { ...owner, cwd: '/', stdio: 'ignore' });
  const ended = once(child, 'exit');
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await until('the pooler listens', () => isListening(own));
  return `postgres://${user}:${password}@127.0.0.1:${own}/${database}?sslmode=disable`;
}
