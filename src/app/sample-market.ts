// Sample market: its process, started beside the service and restarted when it ends, and its areas. Reached over HTTP only.

import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import type { AreaDraft } from '../areas/area.ts';
import type { Boundary } from '../geometry/geometry.ts';
import { updateAllPlacements, writeAreaBatch } from '../ingest/area-writer.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { readIfExists } from '../lib/files.ts';
import { randomToken } from '../lib/secrets.ts';
import { type SupervisedProcess, supervise } from '../lib/supervisor.ts';
import type { AreaType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';

export interface SampleOptions {
  readonly dataDirectory: string;
  /** 0: any free port, if possible that of the last run. */
  readonly port: number;
  /** Seconds between two steps of the market; 0: none by itself. */
  readonly interval: number;
  readonly listings: number;
  /** Base of the photos' URLs, without a slash at its end. */
  readonly photosUrl: string;
  readonly log: (line: string) => void;
  readonly clock?: Clock;
}

export interface SampleMarket {
  /** Base of its URLs, without a slash at its end. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../../sample/main.ts', import.meta.url));

/** Reduces the memory of a whole load with photos by a third. */
const MEMORY_LIMITS = ['--max-old-space-size=192', '--max-semi-space-size=4'];

/**
 * Starts the market; resolves once it answers, and throws if it does not start. If it ends later it is restarted at the same
 * URL, with the same credentials and listings.
 */
export async function startSampleMarket(options: SampleOptions): Promise<SampleMarket> {
  const portFile = join(options.dataDirectory, 'sample-port');
  const credentials = { clientId: 'freehold', clientSecret: randomToken() };
  const start = (port: number) => launch(options, credentials, port);
  // The port of the last run may be in use now; a market that does not start at all fails again.
  const startElsewhere = (error: Error) => {
    options.log(error.message);
    return start(0);
  };
  const last = options.port === 0 ? await lastPort(portFile) : 0;
  const first = last === 0 ? await start(options.port) : await start(last).catch(startElsewhere);
  const port = Number(new URL(first.url).port);
  await writeFile(portFile, String(port));
  const supervisor = supervise(first, {
    name: 'The sample market',
    launch: () => start(port),
    log: options.log,
    clock: options.clock ?? systemClock,
  });
  return { url: first.url, ...credentials, stop: () => supervisor.stop() };
}

interface MarketProcess extends SupervisedProcess {
  readonly url: string;
}

type Credentials = Pick<SampleMarket, 'clientId' | 'clientSecret'>;

async function lastPort(file: string): Promise<number> {
  const port = Number((await readIfExists(file)) ?? '0');
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

async function launch(
  options: SampleOptions,
  credentials: Credentials,
  port: number,
): Promise<MarketProcess> {
  const settings = ['--port', port, '--interval', options.interval, '--listings', options.listings];
  const photos = ['--photos-url', options.photosUrl];
  const state = ['--state', join(options.dataDirectory, 'sample-market.json')];
  const child = spawn(
    process.execPath,
    [...MEMORY_LIMITS, PROGRAM, ...settings.map(String), ...photos, ...state],
    {
      // The market ends when this pipe closes, so it never outlives the service. A session of its own keeps Ctrl-C in a
      // terminal from ending it while the service still reads from it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        SAMPLE_CLIENT_ID: credentials.clientId,
        SAMPLE_CLIENT_SECRET: credentials.clientSecret,
        ...compileCache(),
      },
    },
  );
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  child.stdin.on('error', () => {}); // 'close' reports the end.
  const url = await readyUrl(child, options.log);
  return {
    url,
    ended,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Where this process keeps compiled modules, if it does: the market then starts in half the time. */
function compileCache(): { readonly NODE_COMPILE_CACHE?: string } {
  // A folder for this release of Node, in the one that was chosen.
  const own = getCompileCacheDir();
  return own === undefined ? {} : { NODE_COMPILE_CACHE: dirname(own) };
}

/** The URL that the process prints in its first line; rejects if it ends instead. */
function readyUrl(
  child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
  log: (line: string) => void,
): Promise<string> {
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    errors.push(line);
    if (errors.length > 20) errors.shift();
    log(line);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      reject(
        new Error(`The sample market ended with code ${code} before it was ready. ${errors.at(-1) ?? ''}`),
      );
    });
    createInterface({ input: child.stdout }).once('line', (line) => {
      const { ready, url } = JSON.parse(line) as { ready?: boolean; url?: string };
      if (ready && url) resolve(url);
      else reject(new Error(`The sample market said something unexpected: ${line}`));
    });
  });
}

interface SampleFeature {
  readonly geometry: Boundary | null;
  readonly properties: {
    readonly id: string;
    readonly type: AreaType;
    readonly name: string;
    readonly parentId: string | null;
    readonly codes?: Readonly<Record<string, string>>;
    readonly population?: number | null;
  };
}

/** Fetches the sample's areas and stores those that are new or changed. Their form is trusted. */
export async function loadSampleAreas(database: Database, sampleUrl: string): Promise<void> {
  const { statusCode, body } = await request(`${sampleUrl}/areas.geojson`);
  if (statusCode !== 200) throw new Error(`The sample market answered ${statusCode} for its areas`);
  const { features } = (await body.json()) as { readonly features: readonly SampleFeature[] };
  const { changed } = await writeAreaBatch(database, 'sample', features.map(draftOf));
  if (changed > 0) await updateAllPlacements(database);
}

function draftOf({ geometry, properties }: SampleFeature): AreaDraft {
  return {
    type: properties.type,
    externalId: properties.id,
    name: properties.name,
    aliases: [],
    codes: properties.codes ?? {},
    parentReference: properties.parentId,
    population: properties.population ?? null,
    boundary: geometry,
  };
}
