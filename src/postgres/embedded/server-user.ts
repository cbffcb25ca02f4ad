// Operating-system user of the embedded server: PostgreSQL refuses root, so a root process gives it another identity.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readIfExists, statIfExists } from '../../lib/optional-file.ts';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The identity for the server; undefined means our own, because we are not root. */
export async function serverUser(cluster: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // A command run by root on a cluster that a service account owns must act as that account.
  const owner = await statIfExists(cluster);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = (await readIfExists('/etc/passwd')) ?? '';
  return account('freehold', passwd) ?? account('nobody', passwd) ?? { uid: 65_534, gid: 65_534 };
}

/** An account of a passwd(5) file; undefined where it has none of this name. */
export function account(name: string, passwd: string): ServerUser | undefined {
  const [, uid, gid] = new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, 'm').exec(passwd) ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: unsigned(uid), gid: unsigned(gid) };
}

/** Whether that user can enter the folder: asked of the system itself, for it alone knows lists and mounts. */
export async function canEnter(user: ServerUser | undefined, directory: string): Promise<boolean> {
  return runsAs(user, 'cd "$1"', directory);
}

/** Whether that user can run every program of the folder. */
export async function canRun(user: ServerUser | undefined, program: string): Promise<boolean> {
  return runsAs(user, 'test -r "$1" && test -x "$1"', program);
}

async function runsAs(user: ServerUser | undefined, script: string, argument: string): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', script, 'sh', argument], { ...user, cwd: '/', stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

function unsigned(id: string): number {
  return Number(id) >>> 0;
}
