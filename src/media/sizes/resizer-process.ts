// One process that decodes pictures, as the service sees it: started when there is something to decode, killed when it takes too long, ended when it has nothing to do.

import { type ChildProcess, fork } from 'node:child_process';
import type { Clock } from '../../lib/clock.ts';
import { MAX_MEMORY, type ResizeResult, type ResizerMessage, type ResizeTask } from './resizer-protocol.ts';

/** The process ended before it answered: it took too long, too much memory, or was ended from outside. */
export class ResizerEnded extends Error {
  override readonly name = 'ResizerEnded';
}

/** The package that decodes does not run here. */
export class ResizerUnavailable extends Error {
  override readonly name = 'ResizerUnavailable';
}

/** Milliseconds for one picture, the start of the process included. */
export const TIME_LIMIT = 20_000;
/** Milliseconds without work after which a process ends. */
export const IDLE_LIMIT = 30_000;
/** What pictures leave behind: a process with more is not used again. */
const MAX_IDLE_MEMORY = MAX_MEMORY / 2;
/** Pictures are not in the heap of JavaScript. */
const OPTIONS = ['--max-old-space-size=64', '--max-semi-space-size=2'];

export interface ResizerProcessOptions {
  readonly clock: Clock;
  /** A TypeScript or JavaScript file. */
  readonly program: URL;
}

export class ResizerProcess {
  readonly #options: ResizerProcessOptions;
  #child: ChildProcess | null = null;
  #cancelIdle: () => void = () => {};

  constructor(options: ResizerProcessOptions) {
    this.#options = options;
  }

  /** The id of the process; null while there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Decodes one picture: one after another. Throws ResizerEnded and ResizerUnavailable. */
  async run(task: ResizeTask): Promise<ResizeResult> {
    this.#cancelIdle();
    const { clock } = this.#options;
    const child = this.#child?.connected ? this.#child : this.#start();
    const cancelLimit = clock.after(TIME_LIMIT, () => child.kill('SIGKILL'));
    try {
      const { result, memory } = await answerOf(child, task);
      if (memory > MAX_IDLE_MEMORY) this.end();
      return result;
    } finally {
      cancelLimit();
      if (this.#child !== null) this.#cancelIdle = clock.after(IDLE_LIMIT, () => this.end());
    }
  }

  /** Ends the process, if there is one: whatever it does is lost. */
  end(): void {
    this.#cancelIdle();
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  #start(): ChildProcess {
    const child = fork(this.#options.program, {
      // What decodes the files of strangers knows no secret of the service.
      env: { MALLOC_ARENA_MAX: '2' },
      execArgv: OPTIONS,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // It does not keep the service from ending.
    child.unref();
    child.channel?.unref();
    child.once('close', () => {
      if (this.#child === child) this.#child = null;
    });
    this.#child = child;
    return child;
  }
}

type Done = Extract<ResizerMessage, { state: 'done' }>;

function answerOf(child: ChildProcess, task: ResizeTask): Promise<Done> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      child.off('message', onMessage).off('close', onClose).off('error', onError);
    };
    const onMessage = (message: ResizerMessage): void => {
      if (message.state === 'ready') return;
      settle();
      if (message.state === 'done') resolve(message);
      else reject(new ResizerUnavailable(message.reason));
    };
    const onClose = (code: number | null, signal: string | null): void => {
      settle();
      reject(new ResizerEnded(`The process that decodes pictures ended (${signal ?? `code ${code}`})`));
    };
    const onError = (cause: Error): void => {
      settle();
      reject(new ResizerEnded('The process that decodes pictures did not start', { cause }));
    };
    child.on('message', onMessage).once('close', onClose).once('error', onError);
    child.send(task, (error) => {
      if (error !== null) onError(error);
    });
  });
}
