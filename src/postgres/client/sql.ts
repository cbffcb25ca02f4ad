// SQL builder: statements and fragments of statements, as text and bound values.

import { finished } from 'node:stream/promises';
import type postgres from 'postgres';

type Scalar = string | number | bigint | boolean | null | Date | Uint8Array;
/** A fragment, or a value to bind; lists of values included. */
export type SqlValue = SqlFragment | Scalar | readonly Scalar[];

/** Part of a statement, with the values to bind. */
export class SqlFragment {
  readonly strings: readonly string[];
  readonly values: readonly SqlValue[];

  constructor(strings: readonly string[], values: readonly SqlValue[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** The rows of a result, and how many rows the statement returned or changed. */
export type ResultRows<Rows> = Rows & { readonly count: number };

type Run = (statement: SqlFragment) => Promise<unknown>;

/** A whole statement: runs when first awaited, and never if it is only a fragment of another one. */
export class Statement<Rows> extends SqlFragment implements Promise<Rows> {
  readonly [Symbol.toStringTag] = 'Statement';
  readonly #run: Run;
  #result: Promise<Rows> | undefined;

  constructor(strings: readonly string[], values: readonly SqlValue[], run: Run) {
    super(strings, values);
    this.#run = run;
  }

  #execute(): Promise<Rows> {
    this.#result ??= this.#run(this) as Promise<Rows>;
    return this.#result;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a statement is what runs it.
  then<A = Rows, B = never>(
    onResult?: ((rows: Rows) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#execute().then(onResult, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Rows | B> {
    return this.#execute().catch(onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Rows> {
    return this.#execute().finally(onEnd);
  }
}

/**
 * The one way to write SQL: sql`select ${value}`, bound to a connection. Values become parameters; fragments become text, at any
 * depth. The driver's own takes ten times as long for many fragments, and its types cannot distinguish a fragment from a pending result.
 */
export interface Sql {
  <Rows extends readonly object[] = postgres.Row[]>(
    strings: TemplateStringsArray,
    ...values: readonly SqlValue[]
  ): Statement<ResultRows<Rows>>;
  /** A quoted name of a column, table or channel. Throws a RangeError for a name that PostgreSQL would cut. */
  (name: string): SqlFragment;
  /**
   * Runs a COPY to stdout, which has no values to bind, and hands over what it writes as it comes: each time some whole rows.
   * While a promise that `take` returned is pending, nothing more is read. Rejects with what `take` throws; the rest is read all the
   * same, since the connection can do nothing else before.
   */
  copy(statement: SqlFragment, take: (rows: Buffer) => unknown): Promise<void>;
  /** Runs a COPY from stdin, which has no values to bind, with these bytes as its rows. */
  load(statement: SqlFragment, rows: Uint8Array): Promise<void>;
  /** Runs text as it is, even several statements. Never for text from outside. */
  unsafe(text: string): postgres.PendingQuery<postgres.Row[]>;
}

/** Otherwise the driver would send a statement without values as a script; its types do not have `simple`. */
const PREPARED = { prepare: true, simple: false };

/** The builder for one connection of the driver. */
export function createSql(driver: postgres.Sql): Sql {
  const run: Run = async (statement) => {
    const { text, values } = formatStatement(statement);
    // A list without a type gets the one that PostgreSQL expects there.
    const bound = values.map((value) => (Array.isArray(value) ? driver.typed(value, 0) : value));
    const result = await driver.unsafe(text, bound as postgres.ParameterOrJSON<never>[], PREPARED);
    return takeRows(result);
  };
  function sql(name: string): SqlFragment;
  function sql<Rows>(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Statement<Rows>;
  function sql<Rows>(first: TemplateStringsArray | string, ...values: readonly SqlValue[]) {
    return typeof first === 'string' ? quoteName(first) : new Statement<Rows>(first, values, run);
  }
  async function copy(statement: SqlFragment, take: (rows: Buffer) => unknown): Promise<void> {
    const { text, values } = formatStatement(statement);
    if (values.length > 0) throw new TypeError('A COPY has no values to bind');
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown) => {
      failure = { error };
    };
    const rows = await driver.unsafe(text).readable();
    rows.on('data', (some: Buffer) => {
      try {
        const taken = failure === undefined ? take(some) : undefined;
        if (!(taken instanceof Promise)) return;
        rows.pause();
        void taken.catch(fail).then(() => rows.resume());
      } catch (error) {
        fail(error);
      }
    });
    await finished(rows);
    // The driver pauses its socket while rows wait here, and goes on when the stream asks for more. Where the last rows and the end
    // come together while it is paused, nothing more is asked for, and the answer to the next statement would never be read.
    rows._read(0);
    if (failure !== undefined) throw failure.error;
  }
  async function load(statement: SqlFragment, rows: Uint8Array): Promise<void> {
    const { text, values } = formatStatement(statement);
    if (values.length > 0) throw new TypeError('A COPY has no values to bind');
    const query = driver.unsafe(text);
    // Once the driver has handed over its stream, it reports errors of the server and of the connection here alone.
    const failed = new Promise<never>((_, reject) => {
      Object.assign(query, { reject });
    });
    failed.catch(() => {});
    const stream = await Promise.race([query.writable(), failed]);
    const done = finished(stream);
    stream.end(rows);
    await Promise.race([done, failed]);
  }
  return Object.assign(sql, { copy, load, unsafe: (text: string) => driver.unsafe<postgres.Row[]>(text) });
}

/**
 * The rows without the driver's own list of them, which only a full collection of garbage frees: until then each small one would copy
 * the rows of all statements, and make them old.
 */
function takeRows(result: postgres.RowList<postgres.Row[]>): ResultRows<postgres.Row[]> {
  const { count } = result;
  return Object.defineProperty(result.splice(0), 'count', { value: count }) as ResultRows<postgres.Row[]>;
}

/** The fragments one after another; empty if there are none. */
export function joinSql(parts: readonly SqlFragment[], separator = ' '): SqlFragment {
  if (parts.length === 0) return new SqlFragment([''], []);
  return new SqlFragment(['', ...parts.slice(1).map(() => separator), ''], parts);
}

/** The text of a statement with $1, $2, ... in place of its values. */
export function formatStatement(statement: SqlFragment): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  const values: unknown[] = [];
  const format = ({ strings, values: parts }: SqlFragment): string => {
    let text = strings[0] ?? '';
    for (const [at, part] of parts.entries())
      text +=
        (part instanceof SqlFragment ? format(part) : `$${values.push(part)}`) + (strings[at + 1] ?? '');
    return text;
  };
  return { text: format(statement), values };
}

/** Bytes. */
const MAX_NAME_LENGTH = 63;

function quoteName(name: string): SqlFragment {
  if (name === '' || name.includes('\0') || Buffer.byteLength(name) > MAX_NAME_LENGTH)
    throw new RangeError(`A name in SQL has 1 to ${MAX_NAME_LENGTH} bytes`);
  return new SqlFragment([`"${name.replaceAll('"', '""')}"`], []);
}
