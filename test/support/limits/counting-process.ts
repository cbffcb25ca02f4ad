// Small service that counts limits with others, in a process of its own: says on request how it counts, and how it came to that.

import { followParent } from '../process/forked-service.ts';
import { startCountingService } from './counting-services.ts';

/** What the process is started with, as JSON in its first argument. */
export interface CountingProcessOptions {
  readonly databaseUrl: string;
  readonly limitsUrl: string;
  /** Milliseconds for a call to the server of limits. */
  readonly callLimit: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as CountingProcessOptions;
const { databaseUrl, limitsUrl, callLimit } = options;
// Whatever was to be closed ends with the process.
const service = await startCountingService({ after: () => {} }, { url: databaseUrl }, limitsUrl, callLimit);
followParent(service.port, () => ({ status: service.status(), told: service.told }));
