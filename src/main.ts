// Process of the service: starts everything, says where it is, and stops gracefully when told to.

import { join } from 'node:path';
import { ensureFirstKeys, ensureSampleKeys } from './access/keys/sample-keys.ts';
import { createApp } from './app/app.ts';
import { banner } from './app/banner.ts';
import { VERSION } from './app/describe.ts';
import { loadProgress } from './app/load-progress.ts';
import { openStorage, type Storage } from './app/storage.ts';
import { terminalLog } from './app/terminal-log.ts';
import { openUpstream } from './app/upstream.ts';
import type { Config } from './config.ts';
import { ListenError, requireFreePort } from './http/server/listen-address.ts';
import { systemClock } from './lib/clock.ts';
import { createLog, type Log } from './lib/log.ts';

/** Long enough for whoever sends requests all the time to be told on each connection. */
const LINGER_MS = 500;

/** The sample market at its full size: 12,000 sales and 8,000 rentals. */
const SAMPLE_LISTINGS = 20_000;

/** Where a running service and what belongs to it can be found; no secrets. */
export interface ServicePlaces {
  readonly url: string;
  readonly docs: string;
  readonly sampleMarket: string | null;
  readonly keysFile: string | null;
  readonly dataDirectory: string;
  /** In words. */
  readonly database: string;
}

interface Service {
  readonly places: ServicePlaces;
  stop(): Promise<void>;
}

/** Runs the service until SIGTERM or SIGINT; a second signal ends it at once. Throws when it cannot start. */
export async function serve(config: Config): Promise<void> {
  const { stdout, stderr } = process;
  const stream = stdout.isTTY ? { stream: terminalLog(stdout, stdout.hasColors()) } : {};
  const log = createLog({ level: config.logLevel, ...stream });
  // Whoever wants no line for each request still wants to know when the service came and went.
  const lifecycle = log.child({}, { level: config.logLevel === 'silent' ? 'silent' : 'info' });
  const stopSignal = nextStopSignal();
  lifecycle.info({ event: 'start', version: VERSION, node: process.version, pid: process.pid }, 'Starting');
  const service = await startService(config, log).catch((error: unknown) => {
    // At a terminal the command line says it.
    if (!stdout.isTTY) log.fatal({ event: 'failed', err: error }, 'Freehold cannot start');
    throw error;
  });
  lifecycle.info({ event: 'ready', ...service.places }, `Ready at ${service.places.url}`);
  if (stderr.isTTY) stderr.write(banner(service.places));
  const signal = await stopSignal;
  lifecycle.info({ event: 'stopping', signal }, 'Stopping when the requests under way are finished');
  await service.stop();
  lifecycle.info({ event: 'stop', signal }, 'Stopped');
}

/** Starts the service; resolves once it answers. What was started is ended again when something later fails. */
async function startService(config: Config, log: Log): Promise<Service> {
  const say = (line: string): void => log.info(line);
  const cleanup = new AsyncDisposableStack();
  try {
    // Asked before anything is changed, and known before the server listens: URLs hold it.
    const port = await requireFreePort(config.host, config.port);
    const storage = await openStorage(config, say);
    cleanup.defer(() => storage.close());
    const { database } = storage;
    const keysFile = await provideKeys(config, storage);
    const publicUrl = config.publicUrl ?? ownUrl(config.host, port);
    const upstream = await openUpstream({
      ...{ config, database, clock: systemClock, log: say, publicUrl },
      sampleListings: SAMPLE_LISTINGS,
    });
    cleanup.defer(() => upstream.stop());
    const app = await createApp({
      ...upstream,
      ...{ config, database, publicUrl, log, keysFile },
      lingerMs: LINGER_MS,
      onProgress: loadProgress(log),
    });
    cleanup.defer(() => app.stop());
    await app.server.listen(config.host, port).catch((error: NodeJS.ErrnoException) => {
      throw new ListenError(config.host, port, error);
    });
    return {
      places: placesOf(config, storage, { publicUrl, sampleMarket: upstream.sampleUrl, keysFile }),
      stop: () => cleanup.disposeAsync(),
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

/**
 * The file of the keys that a new installation begins with; null where there are none. A database elsewhere may be shared by
 * processes that each have a data directory of their own: it gets keys from its operator, but for the sample market.
 */
async function provideKeys(config: Config, { database, embedded }: Storage): Promise<string | null> {
  const options = { database, clock: systemClock, file: join(config.dataDirectory, 'keys.env') };
  if (config.source.kind === 'sample') await ensureSampleKeys(options);
  else if (embedded === null || (await ensureFirstKeys(options)) === null) return null;
  return options.file;
}

function placesOf(
  { dataDirectory }: Config,
  { embedded }: Storage,
  { publicUrl: url, ...rest }: Pick<ServicePlaces, 'sampleMarket' | 'keysFile'> & { publicUrl: string },
): ServicePlaces {
  const database = embedded?.place.cluster ?? 'the server that DATABASE_URL names';
  return { url, docs: `${url}/docs`, ...rest, dataDirectory, database };
}

function ownUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The first SIGTERM or SIGINT, which may come while the service still starts; the next one ends the process at once. */
function nextStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      resolve(signal);
    });
  }
  return promise;
}
