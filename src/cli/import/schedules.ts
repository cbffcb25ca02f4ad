// Command `freehold import schedules`: files at URLs that the service imports again and again.

import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ensureSecretsKey } from '../../app/secrets-key.ts';
import { readConfig } from '../../config.ts';
import type { ImportMap } from '../../import/mapping/map.ts';
import type { MissingAction } from '../../import/missing.ts';
import { isUrl, type RemoteFile } from '../../import/remote/remote-file.ts';
import { everyText, parseEvery, sealUrl } from '../../import/schedules/schedule.ts';
import { listSchedules, putSchedule, removeSchedule } from '../../import/schedules/schedule-store.ts';
import { systemClock } from '../../lib/clock.ts';
import { Keyring, parseKeys } from '../../lib/keyring.ts';
import { withoutByteOrderMark } from '../../lib/parse.ts';
import type { Database } from '../../postgres/client/database.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { print, printJson, printTable } from '../output.ts';
import type { ChosenMap } from './import-map.ts';
import type { PartFlags } from './parts.ts';

type Kind = 'listings' | 'areas';

export function everyArgument(text: string): number {
  try {
    return parseEvery(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}

export function addSchedules(group: Command): void {
  const schedules = group
    .command('schedules')
    .summary('list and remove schedules of imports')
    .description(
      'Files at URLs that a running service imports at their times. `freehold import listings URL --every 1h` makes one.',
    )
    .addHelpText(
      'after',
      examples('freehold import schedules list', 'freehold import schedules remove homes'),
    );
  schedules
    .command('list', { isDefault: true })
    .summary('list the schedules')
    .description('Lists the schedules with what their last run did and when the next one is.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold import schedules list', 'freehold import schedules list --json'))
    .action(({ json }: { json?: true }) => list(json));
  schedules
    .command('remove <source>')
    .summary('remove a schedule')
    .description('Removes the schedule of a source. What it has imported stays.')
    .addOption(new Option('--kind <kind>', 'of what').choices(['listings', 'areas']).default('listings'))
    .addHelpText('after', examples('freehold import schedules remove homes'))
    .action((source: string, { kind }: { kind: Kind }) => remove(source, kind));
}

async function list(json: true | undefined): Promise<void> {
  const schedules = await withDatabase(readConfig(), (database) => database.read(listSchedules));
  const shown = schedules.map(({ urlSealed: _, map: __, ...schedule }) => schedule);
  if (json) return printJson(shown);
  printTable(
    ['Source', 'Kind', 'Every', 'Next', 'Last result', 'URL'],
    shown.map(({ source, kind, everySeconds, nextAt, failure, failures, result, finishedAt, urlShown }) => [
      source,
      kind,
      everyText(everySeconds),
      nextAt,
      failure === null
        ? `${finishedAt ?? ''} ${result ?? ''}`.trim()
        : `FAILED (${failures}) ${finishedAt}: ${failure}`,
      urlShown,
    ]),
    'None. `freehold import listings URL --every 1h` makes one.',
  );
}

async function remove(source: string, kind: Kind): Promise<void> {
  const isRemoved = await withDatabase(readConfig(), (database) =>
    database.write((sql) => removeSchedule(sql, { kind, source })),
  );
  if (!isRemoved)
    throw new CommandFailure(
      `There is no schedule for ${kind} of ${source}: \`freehold import schedules list\` shows them.`,
      EXIT.usage,
    );
  print(process.stdout, `Removed the schedule for ${kind} of ${source}. What it has imported stays.`);
}

export interface ScheduleFlags extends PartFlags {
  readonly every?: number;
  readonly missing?: MissingAction;
  readonly dryRun?: true;
  readonly rejected?: string;
}

/** Throws CommandFailure for a schedule of what is no URL, or that nothing could seal. */
export async function refuseUselessSchedule(
  file: string,
  { every, dryRun, rejected }: ScheduleFlags,
): Promise<void> {
  if (every === undefined) return;
  if (!isUrl(file))
    throw new CommandFailure('--every goes with a URL, which a service can fetch again.', EXIT.usage);
  if (dryRun || rejected !== undefined)
    throw new CommandFailure(
      '--every imports and keeps rejected rows in the folder of its data: leave --dry-run and --rejected out.',
      EXIT.usage,
    );
  await requireKeyring();
}

/** Stores a schedule, if one is wanted. @param result what the import that has just been did */
export async function scheduleImport(
  database: Database,
  remote: RemoteFile,
  { map, mapFile }: ChosenMap,
  flags: ScheduleFlags,
  result: string,
): Promise<void> {
  const { every, missing = null } = flags;
  if (every === undefined) return;
  const keyring = await requireKeyring();
  const identity = { kind: map.kind, source: map.source.id };
  const schedule = {
    ...identity,
    urlSealed: sealUrl(keyring, identity, withCredentials(remote)),
    urlShown: remote.shown,
    headers: remote.headers,
    map: await mapTextOf(mapFile, map, flags),
    missing,
    everySeconds: every,
  };
  await database.write((sql) => putSchedule(sql, schedule, result, new Date(systemClock.now())));
}

/** The text of the map's file, with the part that the command named. */
async function mapTextOf(
  mapFile: string,
  { file }: ImportMap,
  { sheet, member }: PartFlags,
): Promise<string> {
  const text = await readFile(mapFile, 'utf8');
  if (sheet === undefined && member === undefined) return text;
  return JSON.stringify({ ...(JSON.parse(withoutByteOrderMark(text)) as object), file });
}

/** Checked before anything is fetched. */
async function requireKeyring(): Promise<Keyring> {
  const key = await ensureSecretsKey(readConfig());
  if (key !== null) return new Keyring(parseKeys(key));
  throw new CommandFailure(
    'A schedule keeps its URL sealed, and there is no key for that: set SECRETS_KEY, as for the service (`openssl rand -base64 32` makes one).',
    EXIT.usage,
  );
}

function withCredentials({ url, authorization }: RemoteFile): string {
  if (authorization === null) return url.href;
  const [user = '', ...rest] = Buffer.from(authorization.slice('Basic '.length), 'base64')
    .toString('utf8')
    .split(':');
  const full = new URL(url.href);
  full.username = encodeURIComponent(user);
  full.password = encodeURIComponent(rest.join(':'));
  return full.href;
}

export const scheduledText = (every: number): string =>
  `Scheduled: a running service imports it every ${everyText(every)} from now on. \`freehold import schedules list\` shows how it goes.`;
