// Budget of requests to a source: all processes together stay below what the source permits, and a restart forgets nothing.

import { type Clock, pause } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type BudgetReport, LiveError, type WindowUse } from '../source.ts';
import {
  addUse,
  type BudgetState,
  lockBudget,
  readBudget,
  type Share,
  writeStatements,
} from './budget-store.ts';
import { type QuotaHeaders, readQuotas } from './quota-headers.ts';
import { type Claim, MIN_WITH_MARGIN, usable, usedIn, type Window, waitFor } from './windows.ts';

/** What a request is for, as the transport names it. */
export type Kind = 'bulk' | 'live' | 'media' | 'key-sweep';

/** What a source permits. */
export interface RequestLimits {
  readonly windows: readonly Window[];
  /** Windows of photos; `shared`: they use the others. */
  readonly media: 'shared' | readonly Window[];
  /** Whether who exceeds the windows loses access: then a tenth of each is left alone. */
  readonly suspends: boolean;
  readonly headers: readonly QuotaHeaders[];
}

export interface RequestBudgetOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Server and credential, by the names in the settings: never the credential. */
  readonly connection: string;
  readonly limits: RequestLimits;
  /** Whether single listings are fetched while people wait: a tenth is reserved for them. */
  readonly live: boolean;
}

/** What an answer cost and said. */
export interface Observed {
  readonly status: number;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether the address for tokens answered, and not the API. */
  readonly isToken: boolean;
}

/** Milliseconds that a request waits for its turn by itself; live ones have people behind them. */
const MAX_WAIT = 60_000;
const MAX_LIVE_WAIT = 1_000;
/** Milliseconds between two requests to a source that refuses a credential as suspended, and does not say for how long. */
const SUSPENDED_WAIT = 900_000;
/** Milliseconds: what a source may ask to wait. */
const MAX_BLOCK = 86_400_000;

export class RequestBudget {
  readonly #options: RequestBudgetOptions;
  /** What answers said, on its way to the database: the next request is judged by it. */
  #noted: Promise<void> = Promise.resolve();

  constructor(options: RequestBudgetOptions) {
    this.#options = options;
  }

  /** Resolves when a request may be sent, now. Throws LiveError where that is too far off: its message is for the operator. */
  readonly permit = async (kind: Kind, signal: AbortSignal): Promise<void> => {
    const longest = kind === 'live' ? MAX_LIVE_WAIT : MAX_WAIT;
    for (;;) {
      if (signal.aborted) throw new LiveError('timeout', 'The request was given up.');
      const refusal = await this.#reserve(kind);
      if (refusal === null) return;
      if (refusal.wait > longest)
        throw new LiveError('upstream_rate_limited', refusal.message, { retryAfter: refusal.wait });
      await pause(this.#options.clock, refusal.wait, signal);
    }
  };

  /** Notes what an answer cost and said. */
  readonly observed = (kind: Kind, answer: Observed): void => {
    const before = this.#noted;
    // Without the database nothing is permitted either: what it does not learn is not lost on requests.
    this.#noted = before.then(() => this.#note(kind, answer)).catch(() => undefined);
  };

  /** How the budget stands, over all processes. */
  async read(): Promise<BudgetReport> {
    await this.#noted;
    const { database, connection, limits } = this.#options;
    const shares: readonly Share[] = limits.media === 'shared' ? ['requests'] : ['requests', 'media'];
    const states = await database.read((sql) =>
      Promise.all(shares.map(async (share) => ({ share, state: await readBudget(sql, connection, share) }))),
    );
    const [{ blockedUntil, suspendedAt, now }] = states.map(({ state }) => state) as [BudgetState];
    return {
      windows: states.flatMap(({ share, state }) => this.#usesOf(share, state)),
      blockedUntil:
        blockedUntil === null || blockedUntil <= now ? null : new Date(blockedUntil).toISOString(),
      suspendedAt,
      stopped:
        suspendedAt === null
          ? this.#stopReason(states)
          : 'The source refuses this credential: it may be suspended.',
    };
  }

  #usesOf(share: Share, state: BudgetState): readonly WindowUse[] {
    const claim = this.#claim('live');
    return this.#windows(share, state).map(({ seconds, ...limits }) => {
      const used = usedIn(seconds, state.uses.get(seconds) ?? [], state.now);
      const counted = (limit: number | undefined, count: number) =>
        limit === undefined ? null : { used: count, limit: usable(limit, seconds, claim) };
      return {
        share,
        seconds,
        requests: counted(limits.requests, used.requests),
        bytes: counted(limits.bytes, used.bytes),
      };
    });
  }

  /** Why nothing is read that could suspend the credential; null: there is room. */
  #stopReason(states: readonly { readonly share: Share; readonly state: BudgetState }[]): string | null {
    if (!this.#options.limits.suspends) return null;
    for (const { share, state } of states)
      for (const window of this.#windows(share, state)) {
        const uses = state.uses.get(window.seconds) ?? [];
        const wait = waitFor(window, uses, state.now, this.#claim('bulk'));
        if (window.seconds >= MIN_WITH_MARGIN && wait > 0) return this.#spent(window, wait);
      }
    return null;
  }

  async #reserve(kind: Kind): Promise<{ readonly wait: number; readonly message: string } | null> {
    const { database, connection } = this.#options;
    const share = this.#share(kind);
    await this.#noted;
    try {
      return await database.transaction(
        async (tx) => {
          const state = await lockBudget(tx, connection, share);
          const blocked = (state.blockedUntil ?? 0) - state.now;
          if (blocked > 0)
            return { wait: blocked, message: `The source wants no request for ${secondsOf(blocked)}.` };
          const windows = this.#windows(share, state);
          const [fullest] = windows
            .map((window) => ({
              window,
              wait: waitFor(window, state.uses.get(window.seconds) ?? [], state.now, this.#claim(kind)),
            }))
            .toSorted((a, b) => b.wait - a.wait);
          if (fullest !== undefined && fullest.wait > 0)
            return { wait: fullest.wait, message: this.#spent(fullest.window, fullest.wait) };
          const one = windows.map(({ seconds }) => ({ seconds, requests: 1, bytes: 0 }));
          await addUse(tx, connection, share, state.now, one);
          return null;
        },
        { repeatable: true },
      );
    } catch (cause) {
      throw new LiveError('fetch_failed', 'The budget of the source cannot be read: no request is sent.', {
        cause,
      });
    }
  }

  async #note(kind: Kind, { status, bytes, headers, isToken }: Observed): Promise<void> {
    const { database, clock, connection, limits } = this.#options;
    const share = this.#share(kind);
    // Headers are about requests of data, unless photos use the same windows.
    const quotas = share === 'requests' ? readQuotas(limits.headers, headers) : [];
    const isSuspended = status === 429 && limits.suspends;
    const stated = status === 429 || status === 503 ? retryAfter(headers['retry-after'], clock.now()) : null;
    const blockedFor = stated ?? (isSuspended ? SUSPENDED_WAIT : null);
    await database.transaction(async (tx) => {
      const state = await lockBudget(tx, connection, share);
      const numbers = quotas.flatMap(({ seconds, limit }) =>
        limit === null ? [] : [[`${share}:${seconds}`, limit] as const],
      );
      const known = { ...state.quotas, ...Object.fromEntries(numbers) };
      const changed = numbers.some(([name, limit]) => state.quotas[name] !== limit);
      // A success of the API shows that a suspension has ended, whatever else does not.
      const isLifted = state.suspendedAt !== null && status < 300 && !isToken;
      if (changed || blockedFor !== null || isLifted) {
        const remains = isSuspended || (state.suspendedAt !== null && !isLifted);
        await writeStatements(tx, connection, known, blockedFor, remains);
      }
      const uses = this.#windows(share, { ...state, quotas: known }).map(({ seconds, requests }) => {
        // Others may use the same credential: what they used is ours to spare.
        const left = quotas.find((quota) => quota.seconds === seconds)?.remaining ?? null;
        const own = usedIn(seconds, state.uses.get(seconds) ?? [], state.now).requests;
        const others = left === null || requests === undefined ? 0 : Math.max(0, requests - left - own);
        return { seconds, requests: others, bytes };
      });
      await addUse(tx, connection, share, state.now, uses);
    });
  }

  #share(kind: Kind): Share {
    return kind === 'media' && this.#options.limits.media !== 'shared' ? 'media' : 'requests';
  }

  /** Those of the profile, with the numbers that the source itself said last. */
  #windows(share: Share, { quotas }: Pick<BudgetState, 'quotas'>): readonly Window[] {
    const { windows, media } = this.#options.limits;
    const own = share === 'media' && media !== 'shared' ? media : windows;
    const stated = Object.entries(quotas).flatMap(([name, requests]) => {
      const [of, seconds] = name.split(':');
      return of === share ? [{ seconds: Number(seconds), requests }] : [];
    });
    const replaced = own.map((window) => ({
      ...window,
      ...stated.find(({ seconds }) => seconds === window.seconds),
    }));
    return [
      ...replaced,
      ...stated.filter(({ seconds }) => !own.some((window) => window.seconds === seconds)),
    ];
  }

  #claim(kind: Kind): Claim {
    const { live, limits } = this.#options;
    return { isLive: kind === 'live', reservesLive: live, suspends: limits.suspends };
  }

  #spent({ seconds, requests, bytes }: Window, wait: number): string {
    const limits = [
      requests === undefined ? [] : [`${requests} requests`],
      bytes === undefined ? [] : [`${bytes} bytes`],
    ].flat();
    return `What the source permits in ${secondsOf(seconds * 1_000)} is used (${limits.join(', ')}${
      this.#options.limits.suspends && seconds >= MIN_WITH_MARGIN
        ? '; a tenth is left alone, since it suspends who exceeds it'
        : ''
    }): requests go on in ${secondsOf(wait)}.`;
  }
}

const secondsOf = (milliseconds: number): string => `${Math.ceil(milliseconds / 1_000)} s`;

/** Milliseconds of a Retry-After in either form; null without one. */
function retryAfter(value: string | string[] | undefined, now: number): number | null {
  if (typeof value !== 'string') return null;
  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), MAX_BLOCK);
}
