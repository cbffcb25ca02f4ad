// Runs of the service in a process: suspended while the database may not be served, and started again once it may.

import { ListenError } from '../../http/server/listen-address.ts';
import type { Log } from '../../lib/log.ts';
import type { JoinedNode } from '../../nodes/node.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type DatabaseState, describeRestriction, isServable } from '../../postgres/state/database-state.ts';
import type { App } from '../app.ts';
import type { Upstream } from '../upstream.ts';

/** Everything that uses the database, from one start to the next suspension. */
export interface ServiceRun {
  readonly app: App;
  readonly upstream: Pick<Upstream, 'sampleUrl' | 'stop'>;
  readonly database: Pick<Database, 'close'>;
  readonly node: Pick<JoinedNode, 'stop'>;
  /** The file of the keys that this installation created; null if there is none. */
  readonly keysFile: string | null;
}

export interface ServiceRunsOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Starts everything but listening. */
  start(): Promise<ServiceRun>;
}

export class ServiceRuns {
  readonly #options: ServiceRunsOptions;
  #run: ServiceRun | null = null;
  #isSuspended = false;
  #isStopped = false;
  /** Changes one after another. */
  #queue: Promise<void> = Promise.resolve();

  constructor(options: ServiceRunsOptions) {
    this.#options = options;
  }

  /** Starts the first run, and listens. */
  async start(): Promise<ServiceRun> {
    const run = await this.#options.start();
    this.#run = run;
    await this.#listen(run);
    return run;
  }

  /** Suspends the service or starts it again, as the database permits. A start that fails is repeated with the next change. */
  follow(state: DatabaseState): void {
    const { log } = this.#options;
    this.#queue = this.#queue
      .then(() => {
        if (this.#isStopped || this.#run === null) return;
        if (!isServable(state)) return this.#suspend(state);
        if (this.#isSuspended) return this.#resume(this.#run);
        log.info(
          { event: 'database', state: state.name },
          describeRestriction(state) ?? 'Accepted: everything runs',
        );
      })
      .catch((error: unknown) => log.error({ err: error }, 'The service cannot go on: start it again'));
  }

  /** Lets load balancers see that it is about to stop, while everything is still answered. */
  leave(): void {
    this.#run?.app.server.leave();
  }

  /** Stops what runs, at the latest when a change that is under way is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#queue;
    const run = this.#run;
    await run?.app.stop();
    if (run !== null && !this.#isSuspended) await closeBehind(run);
  }

  async #suspend(state: DatabaseState): Promise<void> {
    const run = this.#run;
    if (this.#isSuspended || run === null) return;
    this.#options.log.warn(
      { event: 'suspended', state: state.name },
      describeRestriction(state) ?? 'Suspended',
    );
    this.#isSuspended = true;
    await run.app.suspend();
    await closeBehind(run);
  }

  /** The former server answers until the new one is ready to listen. */
  async #resume(former: ServiceRun): Promise<void> {
    const run = await this.#options.start();
    await former.app.stop();
    this.#run = run;
    this.#isSuspended = false;
    await this.#listen(run);
    this.#options.log.info({ event: 'resumed' }, 'The service answers again');
  }

  async #listen({ app }: ServiceRun): Promise<void> {
    const { host, port } = this.#options;
    await app.server.listen(host, port).catch((error: NodeJS.ErrnoException) => {
      throw new ListenError(host, port, error);
    });
  }
}

async function closeBehind({ upstream, node, database }: ServiceRun): Promise<void> {
  await upstream.stop();
  await node.stop();
  await database.close();
}
