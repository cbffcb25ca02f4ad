// Recorder of use: counts each request as it ends, and long answers while they are written; writes once a minute.

import type { IncomingMessage } from 'node:http';
import type { Principal } from '../access/tiers/tiers.ts';
import type { RecordedRequest, UsageRecorder } from '../http/frame/request-usage.ts';
import { type Clock, MINUTE } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import { type PeriodicWork, startPeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import { networkOf, QueryBuffer, recordedArguments } from './agent-query.ts';
import { type UsageAmounts, UsageCounter, type UsageKey } from './usage-counter.ts';
import { UsageWriter } from './usage-writer.ts';

export interface UsageRecorderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Called with errors that no client sees, for the log. */
  readonly report: (error: unknown) => void;
  /** Whether what agents ask is recorded. */
  readonly auditsQueries?: boolean;
  /** Entries between two writes; further ones are summed up; default 10,000. */
  readonly maxEntries?: number;
}

const MAX_ENTRIES = 10_000;
/** Questions of agents between two writes. */
const MAX_QUERIES = 5_000;
const NONE: ReadonlyMap<string, number> = new Map();

/** A call of a tool by an agent. */
export interface AskedTool {
  readonly caller: Principal;
  readonly address: string;
  readonly tool: string;
  readonly args: unknown;
  /** `ok`, or a code; empty: not known. */
  readonly outcome: string;
}

export class ServiceUsage implements UsageRecorder<Principal> {
  readonly #clock: Clock;
  readonly #counter: UsageCounter;
  readonly #writer: UsageWriter;
  readonly #queries = new QueryBuffer(MAX_QUERIES);
  readonly #auditsQueries: boolean;
  readonly #work: PeriodicWork;
  /** Requests that have shown something and are not over. */
  readonly #open = new Set<RecordedRequest<Principal>>();
  /** Bytes of connections that are counted. */
  readonly #counted = new WeakMap<IncomingMessage['socket'], number>();

  /** Starts to write. */
  constructor(options: UsageRecorderOptions) {
    const { clock, metrics, report, maxEntries = MAX_ENTRIES } = options;
    this.#clock = clock;
    this.#counter = new UsageCounter(maxEntries);
    this.#writer = new UsageWriter(options, this.#counter, this.#queries);
    this.#auditsQueries = options.auditsQueries === true;
    metrics.observableCounter(
      'freehold_agent_queries_dropped_total',
      'Questions of agents that were not recorded, since too many came within a minute.',
      () => this.#queries.dropped,
    );
    metrics.gauge(
      'freehold_usage_unwritten',
      'Entries of the record of use that this process has counted and not written.',
      () => this.#counter.size,
    );
    this.#work = startPeriodicWork({ clock, report, pause: MINUTE, work: () => this.flush() });
  }

  shows(request: RecordedRequest<Principal>): void {
    this.#open.add(request);
  }

  ended(request: RecordedRequest<Principal>): void {
    this.#open.delete(request);
    if (request.endpoint.route.isProbe !== true) this.#count(request, 1);
  }

  /** Counts what is no request to this service. */
  add(key: UsageKey, amounts: UsageAmounts): void {
    this.#counter.add(this.#clock.now(), key, amounts);
  }

  /** Records what an agent asked, where that is recorded. */
  asked({ caller, address, tool, args, outcome }: AskedTool): void {
    if (!this.#auditsQueries) return;
    this.#queries.add({
      at: this.#clock.now(),
      account: usageAccount(caller),
      client: caller.client ?? '',
      address: networkOf(address),
      tool,
      arguments: recordedArguments(args),
      outcome,
    });
  }

  /** Writes what was counted. Throws if it could not be written: it waits for the next time. */
  async flush(): Promise<void> {
    for (const request of this.#open)
      if (request.response.headersSent) {
        this.#open.delete(request);
        this.#count(request, 0);
      }
    await this.#writer.write();
  }

  /** Writes the last; call it once no request is open. */
  async close(): Promise<void> {
    await this.#work.stop();
    await this.flush();
  }

  #count(request: RecordedRequest<Principal>, requests: number): void {
    const { usage, response } = request;
    const shown = usage.take();
    const status = response.headersSent ? Math.floor(response.statusCode / 100) : 0;
    const isShown = status === 2 && request.request.method !== 'HEAD';
    this.#counter.add(this.#clock.now(), keyOf(request, status), {
      requests,
      bytes: this.#bytes(request.request.socket),
      shown: isShown ? shown : NONE,
    });
  }

  /** Bytes that were written to a connection since it was asked for last: answers follow one another there. */
  #bytes(socket: IncomingMessage['socket']): number {
    const written = socket.bytesWritten ?? 0;
    const bytes = written - (this.#counted.get(socket) ?? 0);
    this.#counted.set(socket, written);
    return bytes;
  }
}

function keyOf(request: RecordedRequest<Principal>, status: number): UsageKey {
  const { endpoint, usage } = request;
  const caller = request.isIdentified ? request.caller : null;
  return {
    account: caller === null ? ANONYMOUS : usageAccount(caller),
    client: caller?.client ?? '',
    tier: caller?.tier ?? ANONYMOUS,
    channel: endpoint.route.access.channel ?? '',
    operation: usage.operation,
    status,
  };
}

/** All who call without credentials, whose addresses are recorded nowhere. */
const ANONYMOUS = 'anonymous';

/** The accounts whose use is a caller's own: with what was sent to the webhooks of its owner. */
export const accountsOf = (caller: Principal): readonly string[] => [
  ...new Set([usageAccount(caller), caller.owner ?? usageAccount(caller)]),
];

/** Whose use a request of this caller is: of a subscription, else of the owner of a grant or of a source. */
function usageAccount({ subscription, account, owner, source }: Principal): string {
  if (subscription !== null) return account;
  return owner ?? (source === undefined ? ANONYMOUS : `source:${source.id}`);
}
