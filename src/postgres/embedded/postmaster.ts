// Postmaster of a cluster: the running server and its owner, from the server's lock file and options file.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists } from '../../lib/files.ts';

export type OwnerRole = 'service' | 'command';

/** The process whose end also ends the server. */
export interface Owner {
  readonly pid: number;
  readonly started: string;
  readonly role: OwnerRole;
}

export interface Postmaster {
  readonly pid: number;
  readonly socketDirectory: string;
  readonly status: 'starting' | 'ready' | 'stopping';
  /** Undefined if the owner has ended: the server then shuts down soon. */
  readonly owner: Owner | undefined;
}

/** The server that runs on this cluster, or undefined. The lock file of a dead server is removed. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const path = join(cluster, 'postmaster.pid');
  const text = await readIfExists(path);
  if (text === undefined) return undefined;
  const lock = parseLock(text);
  if (lock === undefined) return { pid: 0, socketDirectory: '', status: 'starting', owner: undefined };
  if (!(await isServer(lock.pid))) {
    // In a container ids start again from 1, so the dead server's id may now be another program's, and PostgreSQL would
    // refuse to start. A file that has changed since is kept.
    if ((await readIfExists(path)) === text) await rm(path, { force: true });
    return undefined;
  }
  return { ...lock, owner: await livingOwner(cluster) };
}

/**
 * Removes a lock file that still names no server. A server writes its id at once, so a file that stays empty was left by one
 * that died in between; PostgreSQL would refuse to start.
 */
export async function removeEmptyLock(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid');
  const text = await readIfExists(path);
  if (text !== undefined && parseLock(text) === undefined) await rm(path, { force: true });
}

/** This process as an owner, as `parseOwner` reads it. */
export async function ownerMark(role: OwnerRole): Promise<string> {
  const state = await processState(process.pid);
  return `${process.pid}:${state?.started ?? ''}:${role}`;
}

/** Reads postmaster.pid (PostgreSQL's pidfile.h: id, folder, start, port, socket folder, address, key, status). */
export function parseLock(text: string): Omit<Postmaster, 'owner'> | undefined {
  const lines = text.split('\n');
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  if (!Number.isInteger(pid) || pid === 0) return undefined;
  const word = lines[7]?.trim();
  const status = word === 'ready' || word === 'stopping' ? word : 'starting';
  return { pid, socketDirectory: lines[4] ?? '', status };
}

/** Finds the owner in postmaster.opts, the command line of the running server. */
export function parseOwner(options: string): Owner | undefined {
  const [, pid, started, role] = /freehold\.owner=(\d+):(\d*):(service|command)/.exec(options) ?? [];
  if (pid === undefined || started === undefined) return undefined;
  return { pid: Number(pid), started, role: role === 'service' ? 'service' : 'command' };
}

async function livingOwner(cluster: string): Promise<Owner | undefined> {
  const owner = parseOwner((await readIfExists(join(cluster, 'postmaster.opts'))) ?? '');
  if (owner === undefined) return undefined;
  const state = await processState(owner.pid);
  return state !== undefined && state.started === owner.started ? owner : undefined;
}

async function isServer(pid: number): Promise<boolean> {
  const state = await processState(pid);
  return state !== undefined && (state.program === undefined || state.program === 'postgres');
}

export interface ProcessState {
  /** The program's short name, if the system reports it. */
  readonly program: string | undefined;
  /** Differs between two processes with the same id; empty if the system does not report it. */
  readonly started: string;
}

/** The process with this id; undefined if there is none, or only a zombie. */
export async function processState(pid: number): Promise<ProcessState | undefined> {
  if (!signalReaches(pid)) return undefined;
  if (process.platform !== 'linux') return { program: undefined, started: '' };
  const line = await readIfExists(`/proc/${pid}/stat`, 'latin1');
  return line === undefined ? undefined : parseProcessLine(line);
}

/** Parses a /proc/<pid>/stat line (proc(5)): the name is in brackets and may itself contain brackets. */
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
