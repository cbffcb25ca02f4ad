// Owns the sample market's process: started beside the service, reached over HTTP only, ended with the service.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { randomToken } from '../lib/secrets.ts';

export interface SampleOptions {
  readonly dataDirectory: string;
  /** 0: any, but the same as last time where it is still free, since photo addresses hold it. */
  readonly port: number;
  /** Seconds between two steps of the market; 0: it moves only when told. */
  readonly interval: number;
  readonly listings: number;
  readonly log: (line: string) => void;
}

export interface SampleMarket {
  /** Base of its addresses, without a slash at its end. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  stop(): Promise<void>;
}

const PROGRAM = join(import.meta.dirname, '../../sample/main.ts');

/** A whole walk with photos makes much garbage and keeps little: without these it would take half as much again. */
const SMALL = ['--max-old-space-size=192', '--max-semi-space-size=4'];

/** Starts the market; resolves when it answers. Throws when it does not start. */
export async function startSampleMarket(options: SampleOptions): Promise<SampleMarket> {
  const portFile = join(options.dataDirectory, 'sample-port');
  const last = options.port === 0 ? await lastPort(portFile) : 0;
  const market = last === 0 ? await launch(options, options.port) : await launchOnLast(options, last);
  await writeFile(portFile, new URL(market.url).port);
  return market;
}

async function lastPort(file: string): Promise<number> {
  const port = Number(await readFile(file, 'utf8').catch(() => '0'));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

async function launchOnLast(options: SampleOptions, port: number): Promise<SampleMarket> {
  try {
    return await launch(options, port);
  } catch {
    return launch(options, 0);
  }
}

async function launch(options: SampleOptions, port: number): Promise<SampleMarket> {
  // The secret lives as long as the two processes do: no one else needs it.
  const credentials = { clientId: 'freehold', clientSecret: randomToken() };
  const settings = ['--port', port, '--interval', options.interval, '--listings', options.listings];
  const state = ['--state', join(options.dataDirectory, 'sample-market.json')];
  const child = spawn(process.execPath, [...SMALL, PROGRAM, ...settings.map(String), ...state], {
    // The market ends when this pipe does, so that it never outlives us.
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { SAMPLE_CLIENT_ID: credentials.clientId, SAMPLE_CLIENT_SECRET: credentials.clientSecret },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await readyUrl(child, options.log);
  return {
    url,
    ...credentials,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** The address that the process announces in its first line; rejects when it ends instead. */
function readyUrl(
  child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
  log: (line: string) => void,
): Promise<string> {
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    complaints.push(line);
    if (complaints.length > 20) complaints.shift();
    log(line);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      reject(
        new Error(
          `The sample market ended with code ${code} before it was ready. ${complaints.at(-1) ?? ''}`,
        ),
      );
    });
    createInterface({ input: child.stdout }).once('line', (line) => {
      const { ready, url } = JSON.parse(line) as { ready?: boolean; url?: string };
      if (ready && url) resolve(url);
      else reject(new Error(`The sample market said something unexpected: ${line}`));
    });
  });
}
