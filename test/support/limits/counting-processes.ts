// Three services in processes of their own that count limits together, and how each tells it has counted.

import { join } from 'node:path';
import { poll } from '../check/until.ts';
import type { Closing, TestDatabase } from '../database/database.ts';
import { type ForkedService, startForkedService } from '../process/forked-service.ts';
import type { CountingProcessOptions } from './counting-process.ts';
import { areShared, type CountingService, type ToldStatus } from './counting-services.ts';

export interface CountingReport {
  readonly status: ReturnType<CountingService['status']>;
  readonly told: readonly ToldStatus[];
}

export interface CountingProcess {
  readonly port: number;
  report(): Promise<CountingReport>;
}

const PROGRAM = join(import.meta.dirname, 'counting-process.ts');
const RELAY = join(import.meta.dirname, '../network/relay-process.ts');

/** Starts one for each of these URLs; resolves once they count together. */
export async function startCountingProcesses(
  t: Closing,
  { url: databaseUrl }: Pick<TestDatabase, 'url'>,
  urls: readonly string[],
  callLimit: number,
): Promise<CountingProcess[]> {
  const services: CountingProcess[] = [];
  for (const limitsUrl of urls) {
    const options: CountingProcessOptions = { databaseUrl, limitsUrl, callLimit };
    const { port, send } = await startForkedService(t, PROGRAM, options);
    services.push({ port, report: async () => (await send({})) as CountingReport });
  }
  await untilCountedTogether(services);
  return services;
}

/** Resolves with the reports once the server counts for all, in this epoch or a later one, and each knows that. */
export function untilCountedTogether(
  services: readonly CountingProcess[],
  earliest = 1,
): Promise<CountingReport[]> {
  return poll(`the server counts for all of ${services.length} processes`, async () => {
    const reports = await Promise.all(services.map((each) => each.report()));
    const statuses = reports.map(({ status }) => status);
    return areShared(statuses, earliest) ? reports : undefined;
  });
}

/** A stretch of network before a port of this machine. */
export function startRelay(t: Closing, port: number): Promise<ForkedService> {
  return startForkedService(t, RELAY, { host: '127.0.0.1', port });
}
