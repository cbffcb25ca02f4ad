// Embedded PostgreSQL server: one per data directory, started by the service or, if none runs, by a command.

import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type Clock, poll, systemClock } from '../../lib/clock.ts';
import { type SupervisedProcess, supervise } from '../../lib/supervisor.ts';
import { type Binaries, completeBinaries, copyBinaries, packagedBinaries } from './binaries.ts';
import {
  type ClusterHome,
  canRun,
  clusterHome,
  createDataDirectory,
  socketDirectory,
} from './cluster-home.ts';
import { EMBEDDED_NAME, type RolePasswords, rolePasswords, SUPERUSER_NAME } from './cluster-roles.ts';
import { ensureCluster } from './initdb.ts';
import { type OwnerRole, ownerMark, type Postmaster, readPostmaster, removeEmptyLock } from './postmaster.ts';
import { ClusterInUse, launchServer, openServerLog } from './server-process.ts';
import { serverSettings } from './server-settings.ts';

export interface EmbeddedOptions {
  /** The database is in it, or in `systemDirectory` if the server's user cannot reach it. */
  readonly dataDirectory: string;
  /** Called with one line about each event of the server. */
  readonly log: (line: string) => void;
  readonly clock?: Clock;
  /** For a data directory of root that no other user can reach. */
  readonly systemDirectory?: string;
  /** The folder with PostgreSQL's bin, lib and share; default: the npm package's. */
  readonly binaries?: string;
  /** False only in tests: commits do not wait for the disk. */
  readonly durable?: boolean;
}

export interface SocketTarget {
  /** The socket's folder. */
  readonly host: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

export interface EmbeddedServer {
  /** As the role that owns the service's database, and is no superuser. */
  readonly connection: SocketTarget;
  /** As the superuser, which the service never uses. */
  readonly administration: SocketTarget;
  /** Absolute folders, for printing. */
  readonly place: { readonly cluster: string; readonly binaries: string; readonly socket: string };
  /** True if another process started the server and will stop it. */
  readonly joined: boolean;
  /** Shuts the server down and waits for its end; does nothing to a joined server. */
  stop(): Promise<void>;
}

/** Another process runs the server of this data directory. */
export class EmbeddedServerRunning extends Error {
  override readonly name = 'EmbeddedServerRunning';
  readonly pid: number;

  constructor(dataDirectory: string, pid: number) {
    super(
      `Freehold already runs on ${dataDirectory} (process ${pid}). Stop it first, or choose another DATA_DIR.`,
    );
    this.pid = pid;
  }
}

const SYSTEM_DIRECTORY = '/var/lib/freehold';
/** Milliseconds that a starting service waits for a command that started the server for its own time. */
const COMMAND_TIMEOUT = 15_000;
const SHUTDOWN_TIMEOUT = 120_000;
/** A server without an owner normally stops by itself at once. */
const ORPHAN_GRACE = 3_000;

/**
 * Starts the server of a data directory, creating it first if needed, and restarts it until `stop` or until this process ends.
 * Throws EmbeddedServerRunning if another process already does so.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const setup = await prepare(options);
  for (;;) {
    let running = await findRunning(setup);
    if (running?.owner?.role === 'command') {
      options.log(`Waiting for a command (process ${running.owner.pid}) that uses the database`);
      running = await waitForCommand(setup, running);
    }
    if (running !== undefined)
      throw new EmbeddedServerRunning(options.dataDirectory, running.owner?.pid ?? running.pid);
    const server = await tryStart(setup, 'service');
    if (server !== undefined) return server;
  }
}

/** For commands: uses the running server of this data directory, or starts one for the command's own time. */
export async function joinOrStartEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const setup = await prepare(options);
  for (;;) {
    const running = await findRunning(setup);
    const server =
      running === undefined
        ? await tryStart(setup, 'command')
        : describe(setup, running.socketDirectory, true, async () => {});
    if (server !== undefined) return server;
  }
}

interface Setup {
  readonly options: EmbeddedOptions;
  readonly clock: Clock;
  readonly home: ClusterHome;
  readonly binaries: Binaries;
  readonly passwords: RolePasswords;
  readonly durable: boolean;
}

async function prepare(options: EmbeddedOptions): Promise<Setup> {
  const { systemDirectory = SYSTEM_DIRECTORY, clock = systemClock, durable = true } = options;
  await createDataDirectory(options.dataDirectory);
  // First: who may not read the passwords may not look for the cluster either.
  const passwords = await rolePasswords(options.dataDirectory);
  const home = await clusterHome(options.dataDirectory, systemDirectory);
  const packaged = options.binaries ?? packagedBinaries();
  const isRunnable = await canRun(home.user, join(packaged, 'bin', 'postgres'));
  const native = isRunnable ? packaged : await copyBinaries(packaged, systemDirectory);
  const binaries = await completeBinaries(native, join(home.home, 'lib'));
  return { options, clock, home, binaries, passwords, durable };
}

/** The server that runs for a living owner, or undefined once nothing runs; waits while one starts, stops or has no owner. */
async function findRunning({ home: { cluster }, clock, options }: Setup): Promise<Postmaster | undefined> {
  let ownerlessSince: number | undefined;
  let last: Postmaster | undefined;
  const outcome = await poll(
    async () => {
      last = await readPostmaster(cluster);
      if (last === undefined) return { running: undefined };
      if (last.owner !== undefined) {
        ownerlessSince = undefined;
        return last.status === 'ready' ? { running: last } : undefined;
      }
      const now = clock.monotonic();
      ownerlessSince ??= now;
      if (now - ownerlessSince <= ORPHAN_GRACE) return undefined;
      ownerlessSince = now;
      if (last.pid === 0) await removeEmptyLock(cluster);
      else {
        options.log(`Stopping a PostgreSQL server (process ${last.pid}) whose owner has gone`);
        process.kill(last.pid, 'SIGINT');
      }
      return undefined;
    },
    { clock, limit: SHUTDOWN_TIMEOUT },
  );
  if (outcome !== undefined) return outcome.running;
  throw new Error(`A PostgreSQL server (process ${last?.pid}) on ${cluster} neither starts nor stops.`);
}

async function waitForCommand(setup: Setup, command: Postmaster): Promise<Postmaster | undefined> {
  const { clock, home } = setup;
  const hasEnded = async () => (await readPostmaster(home.cluster))?.pid !== command.pid || undefined;
  return (await poll(hasEnded, { clock, limit: COMMAND_TIMEOUT })) ? findRunning(setup) : command;
}

/** Undefined if another process was faster. */
async function tryStart(setup: Setup, role: OwnerRole): Promise<EmbeddedServer | undefined> {
  const { home, binaries, clock, durable, options } = setup;
  if (!(await undefinedIfInUse(ensureCluster(home, setup).then(() => true)))) return undefined;
  const socket = await socketDirectory(home);
  const log = openServerLog(join(home.home, 'server.log'), clock);
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const owner = await ownerMark(role);
  const settings = serverSettings({ memory, socketDirectory: socket, owner, durable });
  const launch = () => launchServer({ ...home, binaries, settings, log, clock });
  let first: SupervisedProcess | undefined;
  try {
    first = await undefinedIfInUse(launch());
  } finally {
    if (first === undefined) log.close();
  }
  if (first === undefined) return undefined;
  const relaunch = async () => {
    await findRunning(setup);
    return launch();
  };
  const supervisor = supervise(first, { name: 'PostgreSQL', launch: relaunch, log: options.log, clock });
  return describe(setup, socket, false, async () => {
    await supervisor.stop();
    log.close();
  });
}

function undefinedIfInUse<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof ClusterInUse) return undefined;
    throw error;
  });
}

function describe(setup: Setup, socket: string, joined: boolean, stop: () => Promise<void>): EmbeddedServer {
  let stopped: Promise<void> | undefined;
  const { superuser, service } = setup.passwords;
  return {
    connection: { host: socket, database: EMBEDDED_NAME, user: EMBEDDED_NAME, password: service },
    administration: { host: socket, database: EMBEDDED_NAME, user: SUPERUSER_NAME, password: superuser },
    place: { cluster: setup.home.cluster, binaries: setup.binaries.native, socket },
    joined,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
