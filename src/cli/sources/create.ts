// Commands that set up sources: `freehold sources create`, `apply` and `token`.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig, readSecretVariables, readVariables } from '../../config.ts';
import type { Database } from '../../postgres/client/database.ts';
import { settingsOf } from '../../sources/registry/read-sources-file.ts';
import { resoSettingsOf } from '../../sources/registry/reso-settings.ts';
import type { Variables } from '../../sources/registry/secrets.ts';
import {
  applySourcesFile,
  createPushSource,
  createResoSource,
  createToken,
  revokeTokens,
  SetUpRefused,
} from '../../sources/registry/set-up.ts';
import { type FileSource, isPush, schemaText } from '../../sources/registry/source-schema.ts';
import { parseSourcesFile, SourcesFileError } from '../../sources/registry/source-settings.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { print, printJson } from '../output.ts';

export interface CreateFlags {
  readonly push?: true;
  readonly name?: string;
  readonly map?: string;
  readonly profile?: string;
  readonly url?: string;
  readonly originatingSystem?: string;
  readonly bearerToken?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly withhold?: true;
  readonly media?: string;
  readonly json?: true;
}

export async function create(id: string, flags: CreateFlags): Promise<void> {
  if ((flags.push === true) === (flags.url !== undefined))
    throw new CommandFailure(
      'Say what kind of source it is: --url for one that the service reads, or --push for one that programs push to. ' +
        'Files need none: `freehold import` makes theirs.',
      EXIT.usage,
    );
  const source = sourceOf(id, flags);
  if (!isPush(source)) {
    await setUp((database) => createResoSource(database, source, resoSettingsOf(source, process.cwd())));
    warnOfSecrets([source], readVariables());
    if (flags.json) return printJson({ id: source.id, name: source.name, kind: 'reso' });
    return print(process.stdout, `${id} is created. A running service begins to read it within seconds.`);
  }
  const settings = await settingsOf(source, process.cwd()).catch((error: Error) => {
    throw new CommandFailure(sentence(error.message), EXIT.usage);
  });
  const token = await setUp((database) => createPushSource(database, source, settings));
  if (flags.json) return printJson({ id: source.id, name: source.name, kind: 'push', token });
  print(process.stderr, `${id} is created. Its token is shown only now:`);
  print(process.stdout, token);
}

/** The source that flags describe, checked as that of a file. */
function sourceOf(id: string, flags: CreateFlags): FileSource {
  const { name = id, push, map, profile, url, currency, timeZone, withhold, media } = flags;
  const { originatingSystem, bearerToken, tokenUrl, clientId, clientSecret } = flags;
  const written = {
    id,
    name,
    currency,
    timeZone,
    media,
    ...(withhold && { displayDefault: 'withhold' }),
    ...(map !== undefined && { map: resolve(map) }),
    ...(push
      ? { kind: 'push' }
      : { profile, url, originatingSystem, secrets: { bearerToken, tokenUrl, clientId, clientSecret } }),
  };
  try {
    // Flags that are not given are left out.
    const [source] = parseSourcesFile('(flags)', JSON.stringify({ sources: [written] }));
    if (source !== undefined) return source;
  } catch (error) {
    if (!(error instanceof SourcesFileError)) throw error;
    throw new CommandFailure(error.message.split('\n').slice(1).join('\n').trim(), EXIT.usage);
  }
  throw new Error('A file of one source has none');
}

/** The service needs the variables; whether it has them is not known here. */
function warnOfSecrets(sources: readonly FileSource[], variables: Variables): void {
  const names = sources
    .flatMap((source) => (isPush(source) ? [] : Object.values(source.secrets)))
    .filter((place): place is string => typeof place === 'string' && !variables[place]?.trim());
  if (names.length > 0)
    print(
      process.stderr,
      `Not set here: ${[...new Set(names)].join(', ')}. The service needs ${names.length === 1 ? 'it' : 'them'} in its environment or its .env.`,
    );
}

export async function apply(file: string, { json }: { readonly json?: true }): Promise<void> {
  const path = resolve(file);
  const text = await readFile(path, 'utf8').catch(() => '');
  const variables = readSecretVariables(text);
  const { applied } = await setUp((database) =>
    applySourcesFile(database, { file: path, variables, setBy: 'command' }),
  );
  warnOfSecrets(parseSourcesFile(path, text), variables);
  if (json) return printJson({ applied });
  print(process.stdout, applied.length === 0 ? 'The file has no source.' : `Applied: ${applied.join(', ')}`);
}

export interface TokenFlags {
  readonly revoke?: true | string;
  readonly json?: true;
}

export async function token(id: string, { revoke, json }: TokenFlags): Promise<void> {
  if (revoke === undefined) {
    const created = await setUp((database) => createToken(database, id));
    if (json) return printJson({ id, token: created });
    print(process.stderr, `A new token of ${id}, shown only now; an earlier one works until it is revoked:`);
    return print(process.stdout, created);
  }
  const which = revoke === true ? 'all' : revoke;
  if (which !== 'all' && which !== 'old')
    throw new CommandFailure('--revoke ends all tokens, and `--revoke old` all but the newest.', EXIT.usage);
  const revoked = await setUp((database) => revokeTokens(database, id, which));
  if (json) return printJson({ id, revoked });
  print(process.stdout, `${id}  ${revoked === 1 ? '1 token' : `${revoked} tokens`} revoked`);
}

/** Prints the JSON Schema of a file of sources. */
export function printSchema(): void {
  process.stdout.write(schemaText());
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

async function setUp<T>(work: (database: Database) => Promise<T>): Promise<T> {
  return withDatabase(readConfig(), work).catch((error: unknown) => {
    if (error instanceof SetUpRefused || error instanceof SourcesFileError)
      throw new CommandFailure(error.message);
    throw error;
  });
}
