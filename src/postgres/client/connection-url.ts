// DATABASE_URL, parsed and formatted. The standard URL parser refuses sockets.

import { decodePercent } from '../../lib/parse.ts';

export type EncryptionMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

export interface ServerAddress {
  /** A host name or address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** Where a PostgreSQL server is, and the account to use. */
export interface ConnectionTarget extends ServerAddress {
  /** Further servers of the same database, one of which may be the one that takes writes. */
  readonly others?: readonly ServerAddress[];
  /** Whether a server that only reads is passed over. */
  readonly mustWrite?: true;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  readonly encryption: EncryptionMode;
  /** A file of trusted certificates. */
  readonly rootCertificate?: string;
}

const MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
const KNOWN = [
  'host',
  'port',
  'dbname',
  'user',
  'password',
  'sslmode',
  'sslrootcert',
  'target_session_attrs',
];
/** Sessions that may write. */
const WRITING = ['read-write', 'primary'];
/** More are a mistake. */
const MAX_SERVERS = 10;

/**
 * Parses `postgres://user:password@host:port/database?sslmode=...` as libpq does, and for sockets
 * `postgres://user@/database?host=/folder`. Several servers, `host1:port1,host2:port2`, are one database of which the server that takes
 * writes is meant. Its errors never repeat the URL, which may hold a password.
 */
export function parseDatabaseUrl(url: string): ConnectionTarget {
  const parts = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url);
  if (parts === null)
    throw new Error('DATABASE_URL must look like postgres://user:password@host:5432/database');
  const [, account = '', authority = '', path = '', search = ''] = parts;
  const query = queryOf(search);
  const [, name = '', accountPassword = ''] = /^([^:]*):?(.*)$/s.exec(account) ?? [];
  const user = query.get('user') ?? decode(name);
  if (user === '') throw new Error('DATABASE_URL names no user');
  const [first, ...others] = serversOf(authority, query);
  if (first === undefined) throw new Error('DATABASE_URL names no server');
  const password = query.get('password') ?? decode(accountPassword);
  const rootCertificate = query.get('sslrootcert');
  return {
    ...first,
    ...(others.length === 0 ? {} : { others }),
    ...(others.length > 0 || mustWrite(query.get('target_session_attrs')) ? { mustWrite: true } : {}),
    database: query.get('dbname') ?? (decode(path) || user),
    user,
    ...(password === '' ? {} : { password }),
    encryption: modeOf(query.get('sslmode'), first.host),
    ...(rootCertificate === undefined ? {} : { rootCertificate }),
  };
}

/** The URL of a database behind a socket, as `parseDatabaseUrl` and libpq read it. */
export function socketUrl(target: {
  host: string;
  database: string;
  user: string;
  password?: string;
}): string {
  const { host, database, user, password = '' } = target;
  const secret = password === '' ? '' : `:${encodeURIComponent(password)}`;
  return `postgres://${encodeURIComponent(user)}${secret}@/${encodeURIComponent(database)}?host=${encodeURIComponent(host)}`;
}

function queryOf(search: string): Map<string, string> {
  const query = new Map(new URLSearchParams(search));
  const unknown = [...query.keys()].find((key) => !KNOWN.includes(key));
  if (unknown === undefined) return query;
  throw new Error(`DATABASE_URL has an unknown setting "${unknown}"; known are ${KNOWN.join(', ')}`);
}

function serversOf(authority: string, query: ReadonlyMap<string, string>): ServerAddress[] {
  const addresses = authority.split(',').map(hostAndPort);
  const hosts = query.get('host')?.split(',') ?? addresses.map(({ host }) => host);
  const ports = query.get('port')?.split(',') ?? addresses.map(({ port }) => port);
  if (hosts.length > MAX_SERVERS) throw new Error(`DATABASE_URL names more than ${MAX_SERVERS} servers`);
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error('DATABASE_URL names as many ports as hosts, or one');
  if (hosts.length > 1 && hosts.includes('')) throw new Error('DATABASE_URL has a comma without a host');
  return hosts.map((host, at) => ({
    host: host || 'localhost',
    port: portOf((ports.length === 1 ? ports[0] : ports[at]) ?? ''),
  }));
}

function mustWrite(sessions: string | undefined): boolean {
  if (sessions === undefined || sessions === 'any') return false;
  if (WRITING.includes(sessions)) return true;
  throw new Error(
    `DATABASE_URL has target_session_attrs that Freehold cannot use: it writes, so ${WRITING.join(' or ')}`,
  );
}

function hostAndPort(authority: string): { host: string; port: string } {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(authority) ?? [];
  return { host: bracketed ?? decode(plain), port };
}

function portOf(text: string): number {
  const port = Number(text || '5432');
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error('DATABASE_URL has a port that is not a number from 1 to 65535');
}

function modeOf(mode: string | undefined, host: string): EncryptionMode {
  if (mode === undefined) return host.startsWith('/') ? 'disable' : 'prefer';
  if (MODES.includes(mode)) return mode as EncryptionMode;
  throw new Error(`DATABASE_URL has an unknown sslmode; known are ${MODES.join(', ')}`);
}

function decode(text: string): string {
  const decoded = decodePercent(text);
  if (decoded === null) throw new Error('DATABASE_URL has a part that is not percent-encoded properly');
  return decoded;
}
