// Model of a database in a simulated world: statements that a network delays or loses, and channels whose messages it delays or loses, too.

import type { Clock } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { World } from './world.ts';

/** How a process reaches the database. */
export interface NotifyingLink {
  /** `silent`: nothing passes, and nobody is notified of that; `refused`: connections break, and none can be opened. */
  state: 'open' | 'silent' | 'refused';
  /** Milliseconds of a statement and of its answer, at most. */
  readonly delay: number;
  /** Milliseconds of a message, at most. */
  readonly notified: number;
  /** Share of the messages that are lost although the link is open. */
  readonly loss: number;
}

/** A statement as the model reads it; values that are parts of statements are left out. */
export interface ModelStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Handlers {
  readonly onNotification?: (channel: string, payload: string) => void;
  readonly onClose?: (error: unknown) => void;
}

interface Session {
  readonly link: NotifyingLink;
  readonly channels: Set<string>;
  readonly handlers: Handlers;
  isClosed: boolean;
}

/** Milliseconds after which a read is given up, as in the service. */
export const READ_TIMEOUT = 2_900;

export class NotifyingDatabase {
  readonly #world: World;
  readonly #execute: (statement: ModelStatement) => readonly unknown[];
  readonly #sessions = new Set<Session>();

  /** @param execute rows of a statement that is read, at the moment when it reaches the database */
  constructor(world: World, execute: (statement: ModelStatement) => readonly unknown[] = () => []) {
    this.#world = world;
    this.#execute = execute;
  }

  /** The database as one process reaches it: what `listen` and reads ask of it. */
  reach(link: NotifyingLink, clock: Clock): Database {
    const database = {
      clock,
      read: <T>(work: (sql: never) => Promise<T>): Promise<T> =>
        this.#remote(link, READ_TIMEOUT, () => work(tagOf(async (each) => this.#execute(each)) as never)),
      dedicated: (handlers: Handlers) => this.#open(link, handlers),
    };
    return database as unknown as Database;
  }

  /** What a transaction sends once it is committed. */
  notify(channel: string, payload: string): void {
    const world = this.#world;
    for (const session of this.#sessions) {
      const { link, handlers } = session;
      if (!session.channels.has(channel) || link.state !== 'open' || world.random() < link.loss) continue;
      world.after(world.between(0, link.notified), () => {
        if (!session.isClosed && link.state === 'open') handlers.onNotification?.(channel, payload);
      });
    }
  }

  /** Breaks the connections of a process that listens. */
  refuse(link: NotifyingLink): void {
    link.state = 'refused';
    for (const session of this.#sessions) if (session.link === link) this.#close(session);
  }

  #close(session: Session): void {
    this.#sessions.delete(session);
    if (session.isClosed) return;
    session.isClosed = true;
    session.handlers.onClose?.(new Error('The connection broke'));
  }

  #open(link: NotifyingLink, handlers: Handlers) {
    const session: Session = { link, handlers, channels: new Set(), isClosed: false };
    this.#sessions.add(session);
    const fails: ((error: Error) => void)[] = [];
    const sql = tagOf(
      ({ text, values }) =>
        new Promise<readonly unknown[]>((resolve, reject) => {
          fails.push(reject);
          if (session.isClosed) return reject(new Error('The connection is closed'));
          this.#remote(link, null, async () => {
            if (text.startsWith('listen')) session.channels.add(String(values[0]));
            return [];
          }).then(resolve, reject);
        }),
    );
    return {
      sql,
      destroy: () => {
        this.#close(session);
        for (const fail of fails) fail(new Error('The connection is closed'));
      },
    };
  }

  /** One way there, the work at one moment, and one way back. `timeout`: null: it is waited for without end. */
  #remote<T>(link: NotifyingLink, timeout: number | null, work: () => Promise<T>): Promise<T> {
    const world = this.#world;
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error('The database does not answer'));
      const late = timeout === null ? () => {} : world.after(timeout, fail);
      const settle = (result: () => void): void => {
        late();
        result();
      };
      const passing = (go: () => void): void => {
        if (link.state === 'refused') {
          settle(fail);
          return;
        }
        world.after(world.between(0, link.delay), () => {
          if (link.state === 'open') go();
          else if (link.state === 'refused') settle(fail);
        });
      };
      passing(() => {
        work().then(
          (result) => passing(() => settle(() => resolve(result))),
          (error: unknown) => passing(() => settle(() => reject(error))),
        );
      });
    });
  }
}

/** A tag whose statements run when they are awaited. */
function tagOf(run: (statement: ModelStatement) => Promise<readonly unknown[]>) {
  return (strings: TemplateStringsArray | string, ...values: unknown[]) => {
    if (typeof strings === 'string') return strings;
    return {
      // biome-ignore lint/suspicious/noThenProperty: statements of the driver are awaited, too
      then: (resolve: (rows: unknown) => void, reject: (error: unknown) => void): void => {
        const plain = values.filter((value) => value === null || typeof value !== 'object');
        run({ text: strings.join('?').trim(), values: plain }).then(resolve, reject);
      },
    };
  };
}
