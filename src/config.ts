// Configuration: the settings, read from the environment and the file .env.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type BackupSettings, readBackupSettings } from './backup/backup-settings.ts';
import { type ProviderSettings, readProviderSettings } from './billing/provider-settings.ts';
import { type ExplorerSettings, readExplorerSettings } from './explore/allowance/explorer-settings.ts';
import { type GeocoderSettings, readGeocoderSettings } from './geocoding/geocoder-settings.ts';
import type { NetworkPort } from './lib/ip-address.ts';
import { withoutByteOrderMark } from './lib/parse.ts';
import { deepFreeze, type Environment, isLoopback, SettingsReader } from './lib/settings.ts';
import { type MediaSettings, readMediaSettings } from './media/media-settings.ts';
import { SETTING_NAMES, unknownNames } from './settings/setting-names.ts';
import { readSiteSettings, type SiteSettings } from './site/site-settings.ts';
import { pickVariables, readSourcesFile, type SourcesFile } from './sources/registry/secret-variables.ts';
import { readSourceSettings, type SourceSettings } from './sources/reso/transport/source-settings.ts';

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Base of the service's URLs, without a slash at its end; null: the address it listens on. */
  readonly publicUrl: string | null;
  /** Where the public URL may be plain http. */
  readonly allowHttp: (typeof ALLOWED_HTTP)[number];
  /** Absolute. */
  readonly dataDirectory: string;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** The server that counts limits for all processes; null: each counts alone. */
  readonly limitsUrl: string | null;
  /** Connections of the pool of one process. */
  readonly databaseConnections: number;
  readonly source: SourceSettings;
  readonly subscriptions: ProviderSettings;
  readonly billing: {
    /** Where customers see and change their payments, at the provider; null: not set. */
    readonly portalUrl: string | null;
    /** Days for which a subscription with a failed payment stays in force. */
    readonly graceDays: number;
  };
  readonly tiersFile: string | null;
  readonly sources: SourcesFile;
  readonly explorer: ExplorerSettings;
  /** Whether what agents ask is recorded. */
  readonly auditsQueries: boolean;
  /** The operator's own name on the pages. */
  readonly site: SiteSettings;
  readonly oauth: {
    /** Seconds in which a retry with a rotated refresh token gets the same new tokens. */
    readonly refreshGrace: number;
    /** Days after which a grant ends despite refreshes; null: never. */
    readonly grantMaxDays: number | null;
  };
  /** Keys that seal stored secrets, one or two in base64; null: not set. */
  readonly secretsKey: string | null;
  /** Ports of inner networks that webhooks may lead to, and from which files and geocoders may be read. */
  readonly webhookAllow: readonly NetworkPort[];
  readonly importAllow: readonly NetworkPort[];
  readonly geocoder: GeocoderSettings | null;
  readonly media: MediaSettings;
  readonly trustedProxies: readonly string[];
  /** Open connections; null: as many as the process's file descriptors allow. */
  readonly connections: {
    readonly connections: number | null;
    readonly connectionsPerAddress: number | null;
  };
  /** Access to the metrics: from these networks, or with the token. */
  readonly metrics: { readonly allow: readonly string[]; readonly token: string | null };
  readonly search: {
    /** What answers searches of listings on the market. */
    readonly engine: (typeof SEARCH_ENGINES)[number];
    /** The most that cached records of pages may take, in 1,000,000 bytes; 0: none are. */
    readonly cacheMegabytes: number;
  };
  /** ISO 4217: preferred where prices in several currencies match; null: none is. */
  readonly defaultCurrency: string | null;
  /** Seconds after which an idle connection of a client is closed. */
  readonly keepAliveSeconds: number;
  /** Time between a signal to stop and the first request that is refused. */
  readonly drainSeconds: number;
  /** Nightly backups; null: this process makes none. */
  readonly backup: BackupSettings | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** Where plain http may lead. */
const ALLOWED_HTTP = ['loopback', 'private'] as const;
const SEARCH_ENGINES = ['memory', 'postgres'] as const;

/** All faults of a configuration, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
    this.faults = faults;
  }
}

/** Reads `.env` of a folder, which the environment overrides. Throws ConfigError with all faults at once. */
export function readConfig(environment: Environment = process.env, folder: string = process.cwd()): Config {
  const fromFile = readEnvironmentFile(folder);
  const sources = readSourcesFile({ ...fromFile, ...environment }, folder);
  // Names of secrets are the operator's own.
  const ours = Object.entries(fromFile).filter(([name]) => !Object.hasOwn(sources.variables, name));
  const faults: string[] = unknownNames(environment, Object.fromEntries(ours));
  const read = new SettingsReader({ ...fromFile, ...environment }, faults);
  const allowHttp = read.oneOf('ALLOW_HTTP', ALLOWED_HTTP, 'loopback');
  const dataDirectory = resolve(folder, read.text('DATA_DIR') ?? '.freehold');
  const config: Config = {
    port: read.integer('PORT', 8080, 0, 65_535),
    host: read.text('HOST') ?? '127.0.0.1',
    publicUrl: read.url('PUBLIC_URL', { bare: true, http: allowHttp }),
    allowHttp,
    dataDirectory,
    databaseUrl: read.databaseUrl(),
    limitsUrl: read.limitsUrl(),
    databaseConnections: read.integer('DATABASE_CONNECTIONS', 10, 5, 100),
    source: readSourceSettings(read),
    subscriptions: readProviderSettings(read),
    billing: {
      portalUrl: read.url('BILLING_PORTAL_URL'),
      graceDays: read.integer('BILLING_GRACE_DAYS', 7, 0, 90),
    },
    tiersFile: read.path('TIERS_FILE', folder),
    sources,
    explorer: readExplorerSettings(read, allowHttp, folder),
    auditsQueries: read.oneOf('AUDIT_QUERIES', ['off', 'on'], 'off') === 'on',
    site: readSiteSettings(read, folder),
    oauth: {
      refreshGrace: read.integer('OAUTH_REFRESH_GRACE_SECONDS', 30, 0, 60),
      grantMaxDays: read.integer('OAUTH_GRANT_MAX_DAYS', 0, 0, 36_500) || null,
    },
    secretsKey: read.keys('SECRETS_KEY'),
    webhookAllow: read.networkPorts('WEBHOOK_ALLOW'),
    importAllow: read.networkPorts('IMPORT_ALLOW'),
    geocoder: readGeocoderSettings(read),
    media: readMediaSettings(read, folder, dataDirectory),
    trustedProxies: read.networks('TRUSTED_PROXIES'),
    connections: {
      connections: read.integer('MAX_CONNECTIONS', 0, 1, 1_000_000) || null,
      connectionsPerAddress: read.integer('MAX_CONNECTIONS_PER_ADDRESS', 0, 1, 1_000_000) || null,
    },
    metrics: { allow: read.networks('METRICS_ALLOW'), token: read.secret('METRICS_TOKEN') },
    search: {
      engine: read.oneOf('SEARCH_ENGINE', SEARCH_ENGINES, 'memory'),
      cacheMegabytes: read.integer('SEARCH_CACHE_MB', 16, 0, 1_024),
    },
    defaultCurrency: read.currency('DEFAULT_CURRENCY'),
    keepAliveSeconds: read.integer('KEEP_ALIVE_TIMEOUT', 65, 1, 3_600),
    drainSeconds: read.integer('DRAIN_SECONDS', 5, 0, 300),
    backup: readBackupSettings(read, folder),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  if (config.publicUrl === null && !isLoopback(config.host)) {
    faults.push(
      `PUBLIC_URL is missing: HOST=${config.host} is not loopback, so set the URL that clients use`,
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return deepFreeze(config);
}

/** Values of the environment and of `.env` that a file of sources names. */
export const readSecretVariables = (
  text: string,
  environment: Environment = process.env,
  folder: string = process.cwd(),
): Readonly<Record<string, string>> =>
  pickVariables({ ...readEnvironmentFile(folder), ...environment }, text);

/** Values of the environment and of `.env`, as they are now, for secrets under names of the operator's own. */
export const readVariables = (
  environment: Environment = process.env,
  folder: string = process.cwd(),
): Environment => ({ ...readEnvironmentFile(folder), ...environment });

/** Names of the settings that are set, without their values. */
export function settingsInUse(
  environment: Environment = process.env,
  folder: string = process.cwd(),
): readonly string[] {
  const read = new SettingsReader({ ...readEnvironmentFile(folder), ...environment }, []);
  return SETTING_NAMES.filter((name) => read.text(name) !== null).toSorted();
}

function readEnvironmentFile(folder: string): Environment {
  const file = join(folder, '.env');
  return existsSync(file) ? parseEnv(withoutByteOrderMark(readFileSync(file, 'utf8'))) : {};
}

/** Whether clients send keys and tokens over plain http through a network. */
export const isUnencrypted = ({ publicUrl }: Pick<Config, 'publicUrl'>): boolean =>
  publicUrl?.startsWith('http:') === true && !isLoopback(new URL(publicUrl).hostname);
