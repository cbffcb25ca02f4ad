// Process of the service: starts everything, prints where it is, and stops gracefully on a signal.

import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { ensureFirstKeys, ensureSampleKeys } from './access/keys/sample-keys.ts';
import { createApp } from './app/app.ts';
import { describeSearch } from './app/describe-search.ts';
import { ensureSecretsKey } from './app/secrets-key.ts';
import { type ServiceRun, ServiceRuns } from './app/state/service-runs.ts';
import { banner, firstRequest, loadProgress, type ServiceLocations, terminalLog } from './app/terminal.ts';
import { openUpstream } from './app/upstream.ts';
import { VERSION } from './app/version.ts';
import { type Config, isUnencrypted } from './config.ts';
import { requireFreePort } from './http/server/listen-address.ts';
import { pause, systemClock } from './lib/clock.ts';
import { requireWritableFolder } from './lib/files.ts';
import { createLog, type Log } from './lib/log.ts';
import { joinNodes } from './nodes/node.ts';
import { type Database, type DatabaseOptions, openDatabase } from './postgres/client/database.ts';
import { type EmbeddedServer, startEmbedded } from './postgres/embedded/embedded.ts';
import { PROCESS_NAME } from './postgres/leases/work-lease.ts';
import { migrate } from './postgres/migrations/migrate.ts';
import { describeRestriction } from './postgres/state/database-state.ts';
import { requireSessions } from './postgres/state/pooler.ts';
import { requireServable } from './postgres/state/state-store.ts';
import { openWatchDatabase, type StateWatch, watchState } from './postgres/state/state-watch.ts';
import { noteSource } from './sources/registry/registry-store.ts';
import { applySourcesFile } from './sources/registry/set-up.ts';
import type { Source } from './sources/source.ts';

/** Long enough for a busy client to see `Connection: close` on each connection. */
const LINGER_MS = 500;

/**
 * By how much of itself the memory of old objects may grow until V8 marks them all. Where few objects grow old, V8 alone lets it grow by so
 * little that it marks after each second collection of young ones.
 */
const HEAP_GROWTH_PERCENT = 100;

/** The sample market at its full size: 12,000 sales and 8,000 rentals. */
const SAMPLE_LISTINGS = 20_000;

interface Service {
  readonly locations: ServiceLocations;
  leave(): void;
  stop(): Promise<void>;
}

/** Runs the service until SIGTERM or SIGINT; a second signal ends it at once. Throws when it cannot start. */
export async function serve(config: Config): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const { stdout, stderr } = process;
  const stream = stdout.isTTY ? { stream: terminalLog(stdout, stdout.hasColors()) } : {};
  const log = createLog({ level: config.logLevel, ...stream });
  // Starts and stops are logged at any level but `silent`.
  const lifecycle = log.child({}, { level: config.logLevel === 'silent' ? 'silent' : 'info' });
  const stopSignal = nextStopSignal();
  lifecycle.info({ event: 'start', version: VERSION, node: process.version, pid: process.pid }, 'Starting');
  const service = await startService(config, log).catch((error: unknown) => {
    // At a terminal the command line prints it. A stack says nothing about a wrong password or a missing database.
    if (!stdout.isTTY) log.fatal({ event: 'failed', ...reasonOf(error, log) }, 'Freehold cannot start');
    throw error;
  });
  const { locations } = service;
  const facts = { ...locations, version: VERSION, tryFirst: firstRequest(locations) };
  lifecycle.info({ event: 'ready', ...facts }, `Ready at ${locations.url}`);
  // Where only the log goes to a terminal, its line says no more than the URL.
  if (stderr.isTTY) stderr.write(banner(locations));
  else if (stdout.isTTY) stdout.write(banner(locations));
  if (isUnencrypted(config))
    lifecycle.warn(
      { event: 'unencrypted' },
      'PUBLIC_URL is plain http: keys and tokens cross the network unencrypted. Use https beyond a trial.',
    );
  const signal = await stopSignal;
  // Ctrl-C is pressed where no load balancer is.
  if (signal === 'SIGTERM' && config.drainSeconds > 0) {
    lifecycle.info(
      { event: 'leaving', seconds: config.drainSeconds },
      'Unready, and answering for as long as it takes to be seen',
    );
    service.leave();
    await pause(systemClock, config.drainSeconds * 1_000);
  }
  lifecycle.info({ event: 'stopping', signal }, 'Stopping when the requests under way are finished');
  await service.stop();
  lifecycle.info({ event: 'stop', signal }, 'Stopped');
}

/** Why a start failed, in one line; the stack too where stacks are logged. */
function reasonOf(error: unknown, log: Log): { readonly reason: string; readonly err?: unknown } {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
  return log.isLevelEnabled('debug') ? { reason, err: error } : { reason };
}

/** Starts the service; resolves once it answers. If something fails, what was started before is stopped again. */
async function startService(config: Config, log: Log): Promise<Service> {
  const { dataDirectory } = config;
  const cleanup = new AsyncDisposableStack();
  try {
    // First, while nothing has been changed; the URLs that are stored below contain the port.
    const port = await requireFreePort(config.host, config.port);
    // With an external database too: the sample's keys and state are stored here.
    await requireWritableFolder(dataDirectory, 'DATA_DIR');
    const storage = await openStorage(config, log, cleanup);
    const publicUrl = config.publicUrl ?? ownUrl(config.host, port);
    const start = () => startRun({ config, log, publicUrl, storage });
    const runs = new ServiceRuns({ start, host: config.host, port, log });
    cleanup.defer(() => runs.stop());
    const { app, upstream, keysFile } = await runs.start();
    cleanup.defer(async () => storage.watch.stop());
    storage.watch.onChange((state) => runs.follow(state));
    const locations = {
      url: publicUrl,
      docs: `${publicUrl}/docs`,
      sampleMarket: upstream.sampleUrl,
      keysFile,
      dataDirectory,
      database: storage.embedded?.place.cluster ?? 'the server that DATABASE_URL names',
      search: describeSearch(app.searchEngine.status()),
    };
    return { locations, leave: () => runs.leave(), stop: () => cleanup.disposeAsync() };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

interface Storage {
  readonly embedded: EmbeddedServer | null;
  readonly target: Pick<DatabaseOptions, 'url' | 'socket'>;
  readonly watch: StateWatch;
}

/** The server of the configuration, with a database that may be served; `embedded` is null for an external one. */
async function openStorage(config: Config, log: Log, cleanup: AsyncDisposableStack): Promise<Storage> {
  const { databaseUrl, dataDirectory } = config;
  const say = (line: string): void => log.info(line);
  const embedded = databaseUrl === null ? await startEmbedded({ dataDirectory, log: say }) : null;
  cleanup.defer(async () => embedded?.stop());
  const target = embedded ? { socket: embedded.connection } : { url: databaseUrl ?? '' };
  const database = openWatchDatabase(target);
  cleanup.defer(() => database.close());
  // What an operator names may be a pooler; the embedded server has none.
  if (embedded === null) await requireSessions(database);
  await database.serverVersion();
  const state = await requireServable(database);
  const restriction = describeRestriction(state);
  if (restriction !== null) log.warn({ event: 'database', state: state.name }, restriction);
  // Losses of the database are reported by those who need more of it.
  const report = (error: unknown): void =>
    log.debug({ err: error }, 'The state of the database is not known');
  const watch = watchState({ database, state, report });
  cleanup.defer(() => watch.stop());
  return { embedded, target, watch };
}

interface RunOptions {
  readonly config: Config;
  readonly log: Log;
  readonly publicUrl: string;
  readonly storage: Storage;
}

/** Everything that uses the database, which is migrated first; not listening yet. */
async function startRun({ config, log, publicUrl, storage }: RunOptions): Promise<ServiceRun> {
  const { embedded, target, watch } = storage;
  const cleanup = new AsyncDisposableStack();
  try {
    const database = openDatabase({
      ...target,
      maxConnections: config.databaseConnections,
      applicationName: 'freehold service',
    });
    cleanup.defer(() => database.close());
    await migrate(database, { onWait: (why) => log.info(why) });
    const report = (error: unknown): void =>
      log.debug({ err: error }, 'This process cannot say that it is there');
    const { kind: source } = config.source;
    const node = await joinNodes({
      database,
      clock: systemClock,
      facts: { name: PROCESS_NAME, version: VERSION, source },
      report,
      onWait: (why) => log.info(why),
    });
    cleanup.defer(() => node.stop());
    const keysFile = await createKeys(config, database, embedded !== null);
    const upstream = await openUpstream({
      config,
      database,
      clock: systemClock,
      log: (line) => log.info(line),
      publicUrl,
      sampleListings: SAMPLE_LISTINGS,
    });
    cleanup.defer(() => upstream.stop());
    await setUpSources({ config, database, source: upstream.source, log });
    const app = await createApp({
      ...upstream,
      config,
      database,
      databaseState: watch,
      publicUrl,
      log,
      keysFile,
      secretsKey: await ensureSecretsKey(config),
      threadTarget: target,
      lingerMs: LINGER_MS,
      onProgress: loadProgress(log),
    });
    node.describe(() => {
      const { state, lagMs } = app.searchEngine.status();
      return { searchState: state, searchLagMs: lagMs };
    });
    return { app, upstream, database, node, keysFile };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

/**
 * Creates the keys of a new installation; returns their file, or null if there are none. An external database may serve several
 * processes, each with its own data directory: its operator creates the keys, except those of the sample market. Keys that come
 * with plans of a payment service are none of ours.
 */
async function createKeys(config: Config, database: Database, isEmbedded: boolean): Promise<string | null> {
  if (config.subscriptions.kind !== 'local') return null;
  const options = { database, clock: systemClock, file: join(config.dataDirectory, 'keys.env') };
  if (config.source.kind === 'sample') await ensureSampleKeys(options);
  else if (!isEmbedded || (await ensureFirstKeys(options)) === null) return null;
  return options.file;
}

interface SourceSetUp {
  readonly config: Config;
  readonly database: Database;
  readonly source: Pick<Source, 'id' | 'name'> | null;
  readonly log: Log;
}

/** Notes the source of the settings, and applies the file of sources. */
async function setUpSources({ config, database, source, log }: SourceSetUp): Promise<void> {
  const { kind } = config.source;
  if (source !== null && kind !== 'none')
    await database.write((sql) =>
      noteSource(
        sql,
        { id: source.id, name: source.name, kind, setBy: 'settings' },
        new Date(systemClock.now()),
      ),
    );
  const { file, variables } = config.sources;
  if (file === null) return;
  const { applied, disabled } = await applySourcesFile(database, { file, variables, setBy: 'file' });
  log.info({ event: 'sources', applied, disabled }, `Sources of SOURCES_FILE: ${applied.length}`);
}

function ownUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Milliseconds. A terminal and npm both send one Ctrl-C: the same signal again within this time is the same one. */
const ECHO_MS = 500;

/** The first SIGTERM or SIGINT, even during the start; the next one ends the process at once. */
function nextStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      const first = systemClock.monotonic();
      process.on(signal, () => {
        if (systemClock.monotonic() - first > ECHO_MS) process.exit(1);
      });
      resolve(signal);
    });
  }
  return promise;
}
