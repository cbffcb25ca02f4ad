// Guarded services in processes of their own, whose common clock the test moves.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atEnd, type Closing } from '../database/database.ts';
import type { Advance, GuardedMessage, GuardedProcessOptions } from './guarded-process.ts';

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

export interface GuardedProcess {
  /** Sends so many requests at once on behalf of an address. */
  ask(address: string, requests: number): Promise<LimitedAnswer[]>;
  /** Moves the process's clock by milliseconds. */
  advance(milliseconds: number): Promise<void>;
}

/** Starts one process; it ends with the test. */
export async function startGuardedProcess(
  t: Closing,
  options: GuardedProcessOptions,
): Promise<GuardedProcess> {
  const child = fork(join(import.meta.dirname, 'guarded-process.ts'), [JSON.stringify(options)]);
  const ended = once(child, 'exit');
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const started = await message(child);
  if (!('port' in started)) throw new Error('The process did not say where it listens');
  const url = `http://127.0.0.1:${started.port}/v1/thing`;
  return {
    ask: (address, requests) => Promise.all(Array.from({ length: requests }, () => askOnce(url, address))),
    async advance(milliseconds) {
      child.send({ advance: milliseconds } satisfies Advance);
      await message(child);
    },
  };
}

async function message(child: ChildProcess): Promise<GuardedMessage> {
  const [received] = (await once(child, 'message')) as [GuardedMessage];
  return received;
}

async function askOnce(url: string, address: string): Promise<LimitedAnswer> {
  const answer = await fetch(url, { headers: { 'x-forwarded-for': address } });
  const body = (await answer.json()) as { code?: string; violatedPolicies?: string[] };
  const retryAfter = answer.headers.get('retry-after');
  return {
    ...{ status: answer.status, code: body.code ?? null, violatedPolicies: body.violatedPolicies ?? [] },
    retryAfter: retryAfter === null ? null : Number(retryAfter),
    limits: answer.headers.get('ratelimit') ?? '',
  };
}
