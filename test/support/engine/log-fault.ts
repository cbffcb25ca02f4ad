// Faults between an engine and the log of changes: reads of the log that wait, or are refused.

import type { Database } from '../../../src/postgres/client/database.ts';
import { Gate } from './stage.ts';

export interface LogFault {
  /** The database as the engine's process has it. */
  readonly database: Database;
  /** Where reads of the log wait while it is closed. */
  readonly gate: Gate;
  /** Whether reads of the log are refused. */
  isRefused: boolean;
}

/** Whether a statement, by the first piece of its text, reads the log of changes: what an engine does each second. */
export const isOfLog = (text: unknown): boolean => String(text).includes('words_before');

/** Everything else is read as before. */
export function faultyLog(database: Database): LogFault {
  const gate = new Gate();
  const fault = { gate, isRefused: false };
  const read: Database['read'] = (work, options) =>
    database.read(
      (sql) =>
        work(
          new Proxy(sql, {
            apply(target, self, given: Parameters<typeof sql>) {
              if (!isOfLog(given[0])) return Reflect.apply(target, self, given);
              if (fault.isRefused) return Promise.reject(new Error('The log is refused'));
              return gate.pass().then(() => Reflect.apply(target, self, given));
            },
          }),
        ),
      options,
    );
  return Object.assign(fault, { database: { ...database, read } });
}
