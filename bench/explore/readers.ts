// Readers of the explorer: requests one after the other, each with its service time, bytes and answer, from addresses that change
// before their limits are reached.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { processorTime } from '../processor.ts';
import { type Arm, startArm, type Testbed } from '../testbed.ts';

export interface ExplorerArm extends Arm {
  /** Milliseconds of each request that was timed, in the order in which they ended. Ends the service. */
  times(): Promise<readonly number[]>;
}

/** The service as anybody may look at it, behind a proxy that names addresses; requests below `timed` are timed. */
export async function startExplorer(
  { folder, databaseUrl }: Testbed,
  name: string,
  timed: string,
): Promise<ExplorerArm> {
  const file = join(folder, `${name}-times.json`);
  const arm = await startArm('million/records-arm.ts', {
    DATABASE_URL: databaseUrl,
    SOURCE: 'none',
    LOG_LEVEL: 'warn',
    EXPLORER: 'public',
    TRUSTED_PROXIES: '127.0.0.1',
    DATA_DIR: join(folder, 'explore'),
    TIMES_FILE: file,
    TIMED_PATHS: timed,
  });
  while (!(await fetch(`${arm.url}/readyz`)).ok) await pause(200);
  const times = async (): Promise<readonly number[]> => {
    await arm.stop();
    return JSON.parse(await readFile(file, 'utf8')) as number[];
  };
  return { ...arm, times };
}

export interface Answered {
  readonly status: number;
  /** Milliseconds to the last byte, as the reader sees it. */
  readonly took: number;
  /** Compressed, as they were sent. */
  readonly bytes: number;
  readonly text: string;
  /** False: its figures are being computed, and the page loads itself again. */
  readonly isWhole: boolean;
}

/** Requests of one address: after these it would be refused lists for the rest of the minute. */
const OF_ONE_ADDRESS = 40;

export class Reader {
  readonly #url: string;
  #sent = 0;

  constructor({ url }: Arm) {
    this.#url = url;
  }

  async ask(path: string): Promise<Answered> {
    const at = Math.floor(this.#sent++ / OF_ONE_ADDRESS);
    const begun = performance.now();
    const { statusCode, body, headers } = await request(`${this.#url}${path}`, {
      headers: {
        'accept-encoding': 'br',
        'x-forwarded-for': `198.51.${Math.floor(at / 250) % 250}.${1 + (at % 250)}`,
      },
    });
    const sent = Buffer.from(await body.arrayBuffer());
    const took = performance.now() - begun;
    const plain = headers['content-encoding'] === 'br' ? brotliDecompressSync(sent) : sent;
    return {
      status: statusCode,
      took,
      bytes: sent.length,
      text: plain.toString(),
      isWhole: headers.refresh === undefined,
    };
  }
}

/** Milliseconds of processor that the service spends while something is done. */
export async function spentBy(arm: Arm, work: () => Promise<void>): Promise<number> {
  const before = await processorTime(arm.pid);
  await work();
  return (await processorTime(arm.pid)) - before;
}
