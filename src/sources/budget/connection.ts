// Connection to the server of a source: its budget and its breaker, and how requests pass them.

import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { LiveError } from '../source.ts';
import { Breaker } from './breaker.ts';
import { type Kind, type Observed, RequestBudget, type RequestLimits } from './request-budget.ts';

export interface ConnectionOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly profile: { readonly live: unknown; readonly limits: RequestLimits };
  /** Root of the server. */
  readonly url: string;
  /** Names the credential, and never is it: sources of one server and one credential share a budget. */
  readonly secrets: unknown;
}

export interface Connection {
  readonly budget: RequestBudget;
  /** What the transport calls before and after its requests. */
  readonly hooks: {
    readonly permit: (kind: Kind, signal: AbortSignal) => Promise<void>;
    readonly observed: (kind: Kind, answer: Observed) => void;
    readonly failed: (kind: Kind, error: unknown, milliseconds: number) => void;
    readonly fetched: (bytes: number) => void;
  };
}

/** Names the credential of the settings of a process. */
export const SETTINGS_CREDENTIAL = 'RESO';
/** Milliseconds in which a request that is given up was so because nobody waited for it any more. */
const LEFT_WITHIN = 5_000;

export function openConnection({ database, clock, profile, url, secrets }: ConnectionOptions): Connection {
  const { live, limits } = profile;
  const connection = `${new URL(url).origin} ${JSON.stringify(secrets)}`;
  const budget = new RequestBudget({ database, clock, connection, limits, live: live !== false });
  const breaker = new Breaker(clock);
  return {
    budget,
    hooks: {
      async permit(kind, signal) {
        breaker.pass();
        await budget.permit(kind, signal);
      },
      observed(kind, answer) {
        if (answer.status >= 500) breaker.failed();
        else if (!answer.isToken) breaker.succeeded();
        // A token says nothing of the API: the request that it is for finds out.
        else if (answer.status < 300) breaker.passOn();
        budget.observed(kind, answer);
      },
      failed(_kind, error, milliseconds) {
        // Somebody who leaves soon says nothing of the source.
        const isLeft = error instanceof LiveError && error.code === 'timeout' && milliseconds < LEFT_WITHIN;
        if (!isLeft) breaker.failed();
      },
      fetched(bytes) {
        // A server of photos says as little of the API as the address for tokens.
        budget.observed('media', { status: 200, bytes, headers: {}, isToken: true });
      },
    },
  };
}
