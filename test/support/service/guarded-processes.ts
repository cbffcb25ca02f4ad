// Guarded services in processes of their own, whose common clock the test moves.

import { join } from 'node:path';
import type { Closing } from '../database/database.ts';
import { type ClockedProcess, startClockedProcess } from './clocked-process.ts';
import type { GuardedProcessOptions } from './guarded-process.ts';

/** An answer to a request without credentials, with what it tells of limits. */
export interface LimitedAnswer {
  readonly status: number;
  readonly code: string | null;
  readonly violatedPolicies: readonly string[];
  /** Seconds; null where the answer has none. */
  readonly retryAfter: number | null;
  /** The RateLimit field. */
  readonly limits: string;
}

export interface GuardedProcess extends Pick<ClockedProcess, 'advance'> {
  /** Sends so many requests at once on behalf of an address. */
  ask(address: string, requests: number): Promise<LimitedAnswer[]>;
}

/** Starts one process; it ends with the test. */
export async function startGuardedProcess(
  t: Closing,
  options: GuardedProcessOptions,
): Promise<GuardedProcess> {
  const program = join(import.meta.dirname, 'guarded-process.ts');
  const { port, advance } = await startClockedProcess(t, program, options);
  const url = `http://127.0.0.1:${port}/v1/thing`;
  return {
    ask: (address, requests) => Promise.all(Array.from({ length: requests }, () => askOnce(url, address))),
    advance,
  };
}

async function askOnce(url: string, address: string): Promise<LimitedAnswer> {
  const answer = await fetch(url, { headers: { 'x-forwarded-for': address } });
  const body = (await answer.json()) as { code?: string; violatedPolicies?: string[] };
  const retryAfter = answer.headers.get('retry-after');
  return {
    status: answer.status,
    code: body.code ?? null,
    violatedPolicies: body.violatedPolicies ?? [],
    retryAfter: retryAfter === null ? null : Number(retryAfter),
    limits: answer.headers.get('ratelimit') ?? '',
  };
}
