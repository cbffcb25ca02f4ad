// Embedded PostgreSQL server: one per data directory, started by the service or, while none runs, by a command.

import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type Clock, poll, systemClock } from '../../lib/clock.ts';
import { supervise } from '../../lib/supervisor.ts';
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
import { ClusterTaken, launchServer, openServerLog } from './server-process.ts';
import { serverSettings } from './server-settings.ts';

export interface EmbeddedOptions {
  /** The service's data directory; the database stands in it, or in `systemDirectory` where it cannot. */
  readonly dataDirectory: string;
  /** One line for people about anything that happens to the server. */
  readonly log: (line: string) => void;
  readonly clock?: Clock;
  /** For databases of root whose data directory no other user can reach. */
  readonly systemDirectory?: string;
  /** The folder with PostgreSQL's bin, lib and share; the npm package's when absent. */
  readonly binaries?: string;
  /** False only for tests: does without waiting for the disk. */
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
  /** As the superuser, for what the service itself never does. */
  readonly administration: SocketTarget;
  /** Absolute folders, for printing. */
  readonly place: { readonly cluster: string; readonly binaries: string; readonly socket: string };
  /** True when another process started the server and will stop it. */
  readonly joined: boolean;
  /** Fast shutdown, awaited; leaves a joined server alone. */
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
/** How long a starting service waits for a command that runs the server for its own time. */
const COMMAND_LIMIT = 15_000;
const SHUTDOWN_LIMIT = 120_000;
/** A server without an owner normally stops by itself at once. */
const ORPHAN_GRACE = 3_000;

/**
 * Starts the server of a data directory, creating it first where needed, and keeps it alive until `stop` or until
 * this process ends. Throws EmbeddedServerRunning when another process already does so.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const site = await prepare(options);
  for (;;) {
    let running = await settled(site);
    if (running?.owner?.role === 'command') {
      options.log(`Waiting for a command (process ${running.owner.pid}) that uses the database`);
      running = await withoutCommand(site, running);
    }
    if (running !== undefined)
      throw new EmbeddedServerRunning(options.dataDirectory, running.owner?.pid ?? running.pid);
    const server = await tryStart(site, 'service');
    if (server !== undefined) return server;
  }
}

/** For commands: uses the server that runs on this data directory, or starts one for the command's own time. */
export async function joinOrStartEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const site = await prepare(options);
  for (;;) {
    const running = await settled(site);
    const server = running === undefined ? await tryStart(site, 'command') : useRunning(site, running);
    if (server !== undefined) return server;
  }
}

interface Site {
  readonly options: EmbeddedOptions;
  readonly clock: Clock;
  readonly home: ClusterHome;
  readonly binaries: Binaries;
  readonly passwords: RolePasswords;
  readonly durable: boolean;
}

async function prepare(options: EmbeddedOptions): Promise<Site> {
  const systemDirectory = options.systemDirectory ?? SYSTEM_DIRECTORY;
  await createDataDirectory(options.dataDirectory);
  // First of all: whoever may not read them may not look for the cluster either.
  const passwords = await rolePasswords(options.dataDirectory);
  const home = await clusterHome(options.dataDirectory, systemDirectory);
  const packaged = options.binaries ?? packagedBinaries();
  const reachable = await canRun(home.user, join(packaged, 'bin', 'postgres'));
  const native = reachable ? packaged : await copyBinaries(packaged, systemDirectory);
  const binaries = await completeBinaries(native, join(home.home, 'lib'));
  const durable = options.durable ?? true;
  return { options, clock: options.clock ?? systemClock, home, binaries, passwords, durable };
}

/** The server that runs here for a living owner, or undefined once nothing runs: waits out every state between. */
async function settled(site: Site): Promise<Postmaster | undefined> {
  let ownerless = 0;
  let seen: Postmaster | undefined;
  const outcome = await poll(
    async () => {
      seen = await readPostmaster(site.home.cluster);
      if (seen === undefined) return { running: undefined };
      if (seen.owner !== undefined && seen.status === 'ready') return { running: seen };
      const now = site.clock.monotonic();
      if (seen.owner !== undefined) ownerless = 0;
      else if (ownerless === 0) ownerless = now;
      else if (now - ownerless > ORPHAN_GRACE) {
        if (seen.pid === 0) await removeEmptyLock(site.home.cluster);
        else stopOrphan(site, seen.pid);
        ownerless = now;
      }
      return undefined;
    },
    { clock: site.clock, limit: SHUTDOWN_LIMIT },
  );
  if (outcome !== undefined) return outcome.running;
  throw new Error(
    `A PostgreSQL server (process ${seen?.pid}) on ${site.home.cluster} neither starts nor stops.`,
  );
}

function stopOrphan(site: Site, pid: number): void {
  site.options.log(`Stopping a PostgreSQL server (process ${pid}) whose owner has gone`);
  process.kill(pid, 'SIGINT');
}

async function withoutCommand(site: Site, command: Postmaster): Promise<Postmaster | undefined> {
  const gone = async () =>
    (await readPostmaster(site.home.cluster))?.pid === command.pid ? undefined : true;
  return (await poll(gone, { clock: site.clock, limit: COMMAND_LIMIT })) ? settled(site) : command;
}

function useRunning(site: Site, running: Postmaster): EmbeddedServer {
  return describe(site, running.socketDirectory, true, async () => {});
}

/** Undefined when another process was faster. */
async function tryStart(site: Site, role: OwnerRole): Promise<EmbeddedServer | undefined> {
  if (!(await unlessTaken(ensureCluster(site.home, site).then(() => true)))) return undefined;
  const socket = await socketDirectory(site.home);
  const log = openServerLog(join(site.home.home, 'server.log'), site.clock);
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const settings = serverSettings({
    memory,
    socketDirectory: socket,
    owner: await ownerMark(role),
    durable: site.durable,
  });
  const launch = () =>
    launchServer({ ...site.home, binaries: site.binaries, settings, log, clock: site.clock });
  const first = await unlessTaken(launch()).catch((error: unknown) => {
    log.close();
    throw error;
  });
  if (first === undefined) {
    log.close();
    return undefined;
  }
  const relaunch = async () => {
    await settled(site);
    return launch();
  };
  const { clock } = site;
  const supervisor = supervise(first, { name: 'PostgreSQL', launch: relaunch, log: site.options.log, clock });
  return describe(site, socket, false, async () => {
    await supervisor.stop();
    log.close();
  });
}

/** Undefined where another process holds the cluster. */
function unlessTaken<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof ClusterTaken) return undefined;
    throw error;
  });
}

function describe(site: Site, socket: string, joined: boolean, stop: () => Promise<void>): EmbeddedServer {
  let stopped: Promise<void> | undefined;
  const { superuser, service } = site.passwords;
  return {
    connection: { host: socket, database: EMBEDDED_NAME, user: EMBEDDED_NAME, password: service },
    administration: { host: socket, database: EMBEDDED_NAME, user: SUPERUSER_NAME, password: superuser },
    place: { cluster: site.home.cluster, binaries: site.binaries.native, socket },
    joined,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
