// Model of the table work_lease in a simulated world, as the statements of leases use it, with the database's clock and a network before it.

import type { Clock } from '../../../src/lib/clock.ts';
import type { Database, Transaction } from '../../../src/postgres/client/database.ts';
import type { World } from './world.ts';

/** How a process reaches the database. */
export interface DatabaseLink {
  isCut: boolean;
  /** Milliseconds, each way, at most. */
  delay: number;
}

interface Row {
  holder: string | null;
  until: number;
  fence: number;
}

/** A write that was committed. */
export interface Written {
  readonly node: string;
  readonly fence: number;
  readonly at: number;
}

/** A statement, or a part of one that is a value of another. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const TIMEOUT = 2_000;

export class LeaseModel {
  readonly #world: World;
  readonly #rows = new Map<string, Row>();
  readonly written: Written[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** The database as one process reaches it: what `WorkLease` and `holdWork` ask of it. */
  reach(node: string, link: DatabaseLink, clock: Clock): Database {
    const run = <T>(work: (sql: never) => Promise<T>): Promise<T> =>
      this.#remote(link, () => work(this.#tag() as never));
    const database = {
      clock,
      write: run,
      read: run,
      transaction: <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
        this.#remote(link, async () => {
          const held: { fence: number | null } = { fence: null };
          const result = await work(this.#tag(held) as never);
          // Nothing but the fence decides whether it is committed.
          if (held.fence !== null) this.written.push({ node, fence: held.fence, at: this.#world.now });
          return result;
        }),
    };
    return database as unknown as Database;
  }

  /** One way there, the work, and one way back; a cut loses either. */
  #remote<T>(link: DatabaseLink, work: () => Promise<T>): Promise<T> {
    const world = this.#world;
    return new Promise((resolve, reject) => {
      const late = world.after(TIMEOUT, () => reject(new Error('no answer of the database')));
      const passing = (go: () => void): void => {
        world.after(world.between(0, link.delay), () => {
          if (!link.isCut) go();
        });
      };
      passing(() => {
        work().then(
          (result) =>
            passing(() => {
              late();
              resolve(result);
            }),
          (error: unknown) =>
            passing(() => {
              late();
              reject(error);
            }),
        );
      });
    });
  }

  /** A tag whose statements run when they are awaited. */
  #tag(held: { fence: number | null } = { fence: null }) {
    return (strings: TemplateStringsArray, ...values: unknown[]) => {
      const statement: Statement = { text: strings.join('?'), values };
      return {
        ...statement,
        // biome-ignore lint/suspicious/noThenProperty: statements of the driver are awaited, too
        then: (resolve: (rows: unknown) => void, reject: (error: unknown) => void) => {
          try {
            resolve(this.#execute(statement, held));
          } catch (error) {
            reject(error);
          }
        },
      };
    };
  }

  #execute({ text, values }: Statement, held: { fence: number | null }): unknown {
    const now = this.#world.now;
    const texts = values.filter((value): value is string => typeof value === 'string');
    const [part] = values.filter((value): value is Statement => typeof value === 'object' && value !== null);
    const until = now + Number(part?.values[0] ?? 0);
    if (text.includes('insert into work_lease')) {
      const [name = '', holder = ''] = texts;
      const row = this.#rows.get(name);
      if (row !== undefined && row.holder !== null && row.holder !== holder && row.until >= now) return [];
      const fence = row === undefined ? 1 : row.holder === holder ? row.fence : row.fence + 1;
      this.#rows.set(name, { holder, until, fence });
      return [{ fence }];
    }
    if (text.includes('set holder = null')) {
      const [name = '', holder = ''] = texts;
      const row = this.#rows.get(name);
      if (row?.holder === holder) this.#rows.set(name, { holder: null, until: now, fence: row.fence });
      return Object.assign([], { count: 1 });
    }
    if (text.includes('set leased_until')) {
      const [name = '', holder = ''] = texts;
      const fence = values.find((value) => typeof value === 'number');
      const row = this.#rows.get(name);
      if (row === undefined || row.holder !== holder || row.fence !== fence)
        return Object.assign([], { count: 0 });
      row.until = until;
      held.fence = row.fence;
      return Object.assign([], { count: 1 });
    }
    throw new Error(`The model knows no such statement: ${text}`);
  }
}
