// Whether a server can count limits: its kind, its version, and that it never drops what was counted.

/** Oldest versions. */
const OLDEST = { valkey: [7, 2], redis: [7, 0] } as const;

export interface ServerFacts {
  readonly kind: 'valkey' | 'redis';
  readonly version: string;
  /** Its maxmemory-policy; null: it does not say. */
  readonly policy: string | null;
  readonly isCluster: boolean;
}

/** A server that cannot count: waiting does not help. */
export class UnsuitableServer extends Error {
  override readonly name = 'UnsuitableServer';
}

/** Reads the answer to INFO. Throws UnsuitableServer with the remedy. */
export function requireSuitable(info: string): ServerFacts {
  const facts = new Map(info.split(/\r?\n/).map((line) => splitOnce(line)));
  const kind = facts.get('valkey_version') === undefined ? 'redis' : 'valkey';
  const version = facts.get(`${kind}_version`) ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST[kind];
  if (!(major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)))
    throw new UnsuitableServer(
      `The server of LIMITS_URL is ${kind} ${version || 'of an unknown version'}; Freehold needs Valkey 7.2 or Redis 7.0, or newer.`,
    );
  const policy = facts.get('maxmemory_policy') ?? null;
  if (policy !== null && policy !== 'noeviction')
    throw new UnsuitableServer(
      `The server of LIMITS_URL has maxmemory-policy ${policy} and would drop counts when its memory is full: set maxmemory-policy noeviction.`,
    );
  return { kind, version, policy, isCluster: facts.get('cluster_enabled') === '1' };
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf(':');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}
