// Name for a user id without an account, as containers have: PostgreSQL's programs look up the name of their user.

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Answers lookups of accounts from files; Debian's package libnss-wrapper. */
const WRAPPER = {
  x64: '/usr/lib/x86_64-linux-gnu/libnss_wrapper.so',
  arm64: '/usr/lib/aarch64-linux-gnu/libnss_wrapper.so',
} as Readonly<Record<string, string>>;

export interface UserName extends AsyncDisposable {
  /** For programs that look up the name; empty if they find one, or if nothing here can give them one. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Gives this process's user a name for as long as the result is not disposed of. */
export async function nameUser(): Promise<UserName> {
  const wrapper = WRAPPER[process.arch];
  if (isNamed() || wrapper === undefined || !existsSync(wrapper))
    return { environment: {}, async [Symbol.asyncDispose]() {} };
  const folder = await mkdtemp(join(tmpdir(), 'freehold-user-'));
  const [passwd, group] = [join(folder, 'passwd'), join(folder, 'group')];
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  await writeFile(passwd, `freehold:x:${uid}:${gid}:Freehold:/:/usr/sbin/nologin\n`);
  await writeFile(group, `freehold:x:${gid}:\n`);
  return {
    environment: { LD_PRELOAD: wrapper, NSS_WRAPPER_PASSWD: passwd, NSS_WRAPPER_GROUP: group },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function isNamed(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}
