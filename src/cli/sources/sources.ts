// Command `freehold sources`: where listings and areas come from, and how sources are set up and removed.

import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { findSourcesInUse } from '../../ingest/removal/source-lock-store.ts';
import { configuredSource, REPLICATED } from '../../sources/abandoned.ts';
import { listTokens } from '../../sources/registry/registry-store.ts';
import { findSources, type StoredSource } from '../../sources/removal-store.ts';
import { profileNames } from '../../sources/reso/profiles/profile.ts';
import { withDatabase } from '../database.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, printJson, printTable } from '../output.ts';
import { apply, type CreateFlags, create, printSchema, type TokenFlags, token } from './create.ts';
import { addLicence } from './licence.ts';
import { addProbe } from './probe.ts';
import { addReading } from './reading.ts';
import { addReconcile } from './reconcile.ts';
import { addRemap } from './remap.ts';
import { COUNT_TIMEOUT, type RemoveFlags, remove } from './remove.ts';

export function addSources(program: Command): void {
  const group = program
    .command('sources')
    .summary('set up, list and remove sources of listings')
    .description(
      'Lists where listings and areas come from, sets up sources that the service reads or programs push to, and removes all\n' +
        'that came from one.',
    )
    .addHelpText(
      'after',
      examples(
        'freehold sources list',
        'freehold sources create my-crm --push',
        'freehold sources remove sample',
      ),
    );
  group
    .command('list')
    .summary('list the sources')
    .description('Lists every source that anything is stored of, with what is stored.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold sources list', 'freehold sources list --json'))
    .action(({ json }: { json?: true }) => list(json));
  group
    .command('remove <id>')
    .summary('remove all that came from a source')
    .description(
      'Removes the listings of a source with their history, and its areas, after it has shown how many there are. The log\n' +
        'of changes lists them as removed; watchers hear nothing. Keys, owners and usage stay. After an interruption, the\n' +
        'same command, or a running service, goes on where it stopped.',
    )
    .option('--yes', 'do not ask')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold sources remove sample', 'freehold sources remove county-sales --yes --json'),
    )
    .action((id: string, flags: RemoveFlags) => remove(id, flags));
  addCreate(group);
  addApply(group);
  addToken(group);
  addReading(group);
  addLicence(group);
  addReconcile(group);
  addProbe(group);
  addRemap(group);
}

function addCreate(group: Command): void {
  group
    .command('create <id>')
    .summary('set up a source that is read, or that programs push to')
    .description(
      'Sets up a source. With --url the service reads it over the RESO Web API; its credentials stay in variables of the\n' +
        'service’s environment, whose names are given here. With --push programs send its listings, and its token is printed,\n' +
        'which is shown only now: it writes the listings of this source, and reads nothing else.',
    )
    .option('--url <url>', 'root of its RESO Web API, which /Property follows')
    .option('--profile <name>', `whose servers these are: ${profileNames().join(', ')}; default: standard`)
    .option('--originating-system <name>', 'OriginatingSystemName of the data, which some servers require')
    .option('--bearer-token <variable>', 'name of the variable with its token')
    .option('--client-id <variable>', 'name of the variable with the id of client credentials')
    .option('--client-secret <variable>', 'name of the variable with their secret')
    .option('--token-url <variable>', 'name of the variable with the address that issues tokens')
    .option('--push', 'programs push its listings over HTTP')
    .option('--name <name>', 'as people read it; default: the id')
    .option('--currency <code>', 'of records that state none, such as USD')
    .option('--time-zone <zone>', 'of times without an offset, such as America/Chicago; default: UTC')
    .option('--map <file>', 'a map file, for records with other field names')
    .option('--withhold', 'listings without a display rule are not shown')
    .option('--media <mode>', 'how photos are shown: link, proxy or copy; default: the setting MEDIA')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        'freehold sources create bridge --profile bridge --url https://api.bridgedataoutput.com/api/v2/OData/mymls --bearer-token BRIDGE_TOKEN',
        'freehold sources create my-crm --push',
        'freehold sources create my-crm --push --name "Our CRM" --currency EUR --time-zone Europe/Berlin',
      ),
    )
    .action((id: string, flags: CreateFlags) => create(id, flags));
}

function addApply(group: Command): void {
  group
    .command('apply <file>')
    .summary('set up the sources of a file')
    .description(
      'Creates the sources of a JSON file, or changes how they are set up: all of them or none. Sources that the file does\n' +
        'not name stay. What SOURCES_FILE names is applied at each start of the service, and changed nowhere else.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold sources apply sources.json'))
    .action((file: string, flags: { json?: true }) => apply(file, flags));
  group
    .command('schema')
    .summary('print the JSON Schema of such a file')
    .description('Prints the JSON Schema of a file of sources.')
    .addHelpText('after', examples('freehold sources schema > sources.schema.json'))
    .action(printSchema);
}

function addToken(group: Command): void {
  group
    .command('token <id>')
    .summary('make a token of a source, or end its tokens')
    .description(
      'Prints a new token of a source. The one before works until it is revoked, so that a sender can be changed over; a\n' +
        'source has at most two. A token that ends is refused from that moment on.',
    )
    .option('--revoke [which]', 'end its tokens: all, or `old` for all but the newest')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold sources token my-crm', 'freehold sources token my-crm --revoke old'),
    )
    .action((id: string, flags: TokenFlags) => token(id, flags));
}

type SourceState =
  | 'removing'
  | 'configured'
  | 'read elsewhere'
  | 'not configured'
  | 'imported'
  | 'push'
  | 'read'
  | 'set by file'
  | 'disabled';

async function list(json: true | undefined): Promise<void> {
  const config = readConfig();
  const sources = await withDatabase(config, async (database) => {
    const stored = await database.read(findSources, { timeout: COUNT_TIMEOUT });
    const ids = stored.map(({ id }) => id);
    const used = await database.read((sql) => findSourcesInUse(sql, ids));
    const tokens = Map.groupBy(await database.read((sql) => listTokens(sql, null)), ({ source }) => source);
    return stored.map((source) => ({
      ...source,
      state: stateOf(source, configuredSource(config.source), used),
      tokens: (tokens.get(source.id) ?? []).map(({ source: _, ...token }) => token),
    }));
  });
  if (json)
    return printJson({ sources: sources.map(({ isReplicated: _, enabled: __, ...source }) => source) });
  printTable(
    ['ID', 'STATE', 'LISTINGS', 'ACTIVE', 'AREAS', 'LAST DATA', 'TOKENS', 'REQUESTS', 'LAST REQUEST'],
    sources.map(({ id, state, listings, active, areas, asOf, tokens }) => [
      id,
      state,
      count(listings),
      count(active),
      count(areas),
      minuteOf(asOf),
      tokens.length === 0 ? '' : count(tokens.length),
      tokens.length === 0 ? '' : count(tokens.reduce((sum, { requests }) => sum + requests, 0)),
      minuteOf(
        tokens
          .map(({ lastUsedAt }) => lastUsedAt ?? '')
          .toSorted()
          .at(-1) ?? null,
      ),
    ]),
    'There is none yet.',
  );
}

const minuteOf = (time: string | null): string => time?.slice(0, 16).replace('T', ' ') ?? '';

function stateOf(
  { id, isReplicated, removed, kind, setBy, enabled }: StoredSource,
  configured: string | null,
  used: readonly string[],
): SourceState {
  if (removed !== null) return 'removing';
  if (id === configured) return 'configured';
  if (enabled === false) return 'disabled';
  if (kind === 'reso' && setBy !== 'settings') return setBy === 'file' ? 'set by file' : 'read';
  if (used.includes(id)) return 'read elsewhere';
  if (kind === 'push') return setBy === 'file' ? 'set by file' : 'push';
  return isReplicated || REPLICATED.includes(id) ? 'not configured' : 'imported';
}
