// Process state: whether a process id still belongs to the same process.

import { readIfExists } from '../../lib/optional-file.ts';

export interface ProcessState {
  /** The program's short name, where the system tells it. */
  readonly program: string | undefined;
  /** Differs between two processes that had the same id; empty where the system does not tell. */
  readonly started: string;
}

/** What runs under this id now; undefined when nothing does, or only a zombie. */
export async function processState(pid: number): Promise<ProcessState | undefined> {
  if (!signalReaches(pid)) return undefined;
  if (process.platform !== 'linux') return { program: undefined, started: '' };
  const line = await readIfExists(`/proc/${pid}/stat`, 'latin1');
  return line === undefined ? undefined : parseProcessLine(line);
}

/** Reads one /proc/<pid>/stat line (proc(5)): the name stands in brackets and may itself hold brackets. */
export function parseProcessLine(line: string): ProcessState | undefined {
  const program = line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  if (state === 'Z' || state === 'X') return undefined;
  return { program, started: fields[19] ?? '' };
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
