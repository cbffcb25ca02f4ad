// Whole services in processes of their own, on one database.

import { type Closing, temporaryFolder } from '../database/database.ts';
import { type Child, startProgram } from '../process/children.ts';
import type { ChildOptions } from './child.ts';

export interface WatchProcess {
  readonly url: string;
  readonly child: Child;
}

/** Starts one; it ends with the test. */
export async function startWatchProcess(t: Closing, databaseUrl: string): Promise<WatchProcess> {
  const folder = await temporaryFolder(t, 'watch');
  const options: ChildOptions = { databaseUrl, folder };
  const child = startProgram(t, 'watch/child.ts', [JSON.stringify(options)]);
  const { port } = JSON.parse((await child.line()) ?? '{}') as { port: number };
  return { url: `http://127.0.0.1:${port}`, child };
}
