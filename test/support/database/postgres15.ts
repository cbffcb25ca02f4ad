// PostgreSQL 15 of the machine's own for tests: the oldest server that is supported, reached over TCP with a password.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import { ownDirectory, serverUser } from '../../../src/postgres/embedded/cluster-home.ts';
import { readPostmaster } from '../../../src/postgres/embedded/postmaster.ts';
import { ClusterInUse, launchServer, openServerLog } from '../../../src/postgres/embedded/server-process.ts';
import { poll } from '../check/until.ts';
import { quietPort } from '../service/ports.ts';
import { atEnd, type Closing, temporaryFolder } from './database.ts';

const NATIVE = '/usr/lib/postgresql/15';
const found = await access(join(NATIVE, 'bin', 'initdb')).then(
  () => true,
  () => false,
);
/** Why tests of it are skipped; false where they are not. */
export const withoutPostgres15 = found ? false : `no PostgreSQL 15 in ${NATIVE}`;

export interface Postgres15 {
  /** Of the administrator. */
  readonly url: string;
  readonly port: number;
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** Ends it by a signal to its first process: SIGINT cuts its clients off, SIGQUIT is its immediate shutdown. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again after its end; resolves once it accepts connections. */
  start(): Promise<void>;
}

/** A server of its own on a free port; resolves with the administrator's URL. */
export async function startPostgres15(t: Closing): Promise<string> {
  return (await startPostgres15Server(t)).url;
}

export interface Postgres15Options {
  /** Whom it follows as a standby. */
  readonly standbyOf?: Postgres15;
  /** Where it listens; default: at any free port. */
  readonly port?: number;
}

/** The same, which may be ended and started again; a standby follows another one. */
export async function startPostgres15Server(
  t: Closing,
  { standbyOf, port: given }: Postgres15Options = {},
): Promise<Postgres15> {
  const folder = await temporaryFolder(t, 'external');
  const cluster = join(folder, 'cluster');
  const user = await serverUser(cluster);
  await ownDirectory(cluster, user);
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, 's3cret', { mode: 0o644 });
  const [program, args] =
    standbyOf === undefined
      ? [
          'initdb',
          ['-D', cluster, '-U', 'admin', '-A', 'scram-sha-256', '--pwfile', passwordFile, '--no-sync'],
        ]
      : [
          'pg_basebackup',
          ['-d', standbyOf.url, '-D', cluster, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
        ];
  const made = spawn(join(NATIVE, 'bin', program), args, { ...user, cwd: '/', stdio: 'ignore' });
  assert.deepEqual(await once(made, 'exit'), [0, null]);
  const port = given ?? (await quietPort());
  const log = openServerLog(join(folder, 'server.log'), systemClock);
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
  };
  const binaries = { native: NATIVE, libraries: undefined };
  const launch = () => launchServer({ binaries, cluster, user, settings, log, clock: systemClock });
  let server = await launch();
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= server.stop());
  atEnd(t, async () => {
    await stop();
    log.close();
  });
  return {
    url: `postgres://admin:s3cret@127.0.0.1:${port}/postgres`,
    port,
    stop,
    async end(signal) {
      const postmaster = await readPostmaster(cluster);
      assert.ok(postmaster !== undefined, 'the server runs');
      process.kill(postmaster.pid, signal);
      await server.ended;
    },
    async start() {
      // What a killed server leaves behind is removed before the next one writes its own.
      await readPostmaster(cluster);
      server = await poll('those that a killed server left behind are gone', () =>
        launch().catch((error: unknown) => {
          if (!(error instanceof ClusterInUse)) throw error;
          return undefined;
        }),
      );
      stopping = undefined;
    },
  };
}
