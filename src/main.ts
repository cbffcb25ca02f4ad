// Owns the life of the service's process: start everything, say where it is, stop gracefully when told to.

import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import type { DestinationStream } from 'pino';
import { sampleKeys } from './access/sample-keys.ts';
import { createApp } from './app/app.ts';
import { banner, progressLine } from './app/banner.ts';
import { openStorage } from './app/storage.ts';
import { terminalLog } from './app/terminal-log.ts';
import { openUpstream } from './app/upstream.ts';
import type { Config } from './config.ts';
import { systemClock } from './lib/clock.ts';
import { createLog } from './lib/log.ts';

/** Long enough for whoever sends requests all the time to be told on each connection. */
const LINGER_MS = 500;

export interface Service {
  readonly url: string;
  readonly sampleUrl: string | null;
  stop(): Promise<void>;
}

/** The sample market at its full size: 12,000 sales and 8,000 rentals. */
const SAMPLE_LISTINGS = 20_000;

/** Starts the service; resolves once it answers. What was started is ended again when something later fails. */
export async function startService(config: Config): Promise<Service> {
  const log = createLog({ level: config.logLevel, ...forPeople() });
  const say = (line: string): void => log.info(line);
  const cleanup = new AsyncDisposableStack();
  try {
    const storage = await openStorage(config, say);
    cleanup.defer(() => storage.close());
    const { database } = storage;
    const keysFile = join(config.dataDirectory, 'keys.env');
    const sample = config.source.kind === 'sample';
    if (sample) await sampleKeys({ database, clock: systemClock, file: keysFile });
    const upstream = await openUpstream({
      config,
      database,
      clock: systemClock,
      log: say,
      sampleListings: SAMPLE_LISTINGS,
    });
    cleanup.defer(() => upstream.stop());
    const port = config.port === 0 ? await freePort(config.host) : config.port;
    const publicUrl =
      config.publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
    const app = await createApp({
      ...upstream,
      config,
      database,
      publicUrl,
      log,
      lingerMs: LINGER_MS,
      onProgress: progressLine(),
    });
    cleanup.defer(() => app.stop());
    await app.server.listen(config.host, port);
    process.stdout.write(
      banner({
        config,
        storage,
        publicUrl,
        sampleUrl: upstream.sampleUrl,
        keysFile: sample ? keysFile : null,
      }),
    );
    return { url: publicUrl, sampleUrl: upstream.sampleUrl, stop: () => cleanup.disposeAsync() };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

/** At a terminal the log is for people, everywhere else it is JSON for machines. */
function forPeople(): { stream?: DestinationStream } {
  const { stdout } = process;
  return stdout.isTTY ? { stream: terminalLog(stdout, stdout.hasColors()) } : {};
}

/** Runs the service until SIGTERM or SIGINT; a second signal ends it at once. */
export async function serve(config: Config): Promise<void> {
  const service = await startService(config);
  const told = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      told.resolve();
    });
  }
  await told.promise;
  await service.stop();
}

/** A port that is free now: with PORT=0 the URLs must be known before the server listens. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createSocketServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
