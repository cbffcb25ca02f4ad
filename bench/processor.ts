// Processor time of running processes, from /proc.

import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** How the thread that matches watchers is called by the system: the service has no other worker. */
const WORKER = 'WorkerThread';

interface Thread {
  readonly id: string;
  readonly name: string;
  readonly milliseconds: number;
}

async function threadsOf(pid: number): Promise<Thread[]> {
  const ids = await readdir(`/proc/${pid}/task`);
  const threads = await Promise.all(ids.map((id) => readThread(pid, id).catch(() => null)));
  return threads.filter((thread) => thread !== null);
}

async function readThread(pid: number, id: string): Promise<Thread> {
  const folder = `/proc/${pid}/task/${id}`;
  const [name, spent] = await Promise.all([
    readFile(`${folder}/comm`, 'utf8'),
    readFile(`${folder}/schedstat`, 'utf8'),
  ]);
  return { id, name: name.trim(), milliseconds: Number(spent.split(' ')[0]) / 1e6 };
}

const sum = (threads: readonly Thread[]): number =>
  threads.reduce((total, { milliseconds }) => total + milliseconds, 0);

/** Milliseconds of processor that all threads of a process have used. */
export async function processorTime(pid: number): Promise<number> {
  return sum(await threadsOf(pid));
}

/** The same of a service: by the thread that matches watchers, and by all others. */
export async function serviceTime(
  pid: number,
): Promise<{ readonly matching: number; readonly rest: number }> {
  const threads = await threadsOf(pid);
  const matching = sum(threads.filter(({ name }) => name === WORKER));
  return { matching, rest: sum(threads) - matching };
}

/** Lets the thread that matches watchers run on this core alone. */
export async function pinMatching(pid: number, core: number): Promise<void> {
  for (const { id, name } of await threadsOf(pid))
    if (name === WORKER) execFileSync('taskset', ['-cp', String(core), id], { stdio: 'ignore' });
}
