// Command `freehold sources`: where listings and areas come from, and the removal of a source.

import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { findSourcesInUse } from '../../ingest/removal/source-lock-store.ts';
import { configuredSource, REPLICATED } from '../../sources/abandoned.ts';
import { findSources, type StoredSource } from '../../sources/removal-store.ts';
import { withDatabase } from '../database.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, printJson, printTable } from '../output.ts';
import { COUNT_TIMEOUT, type RemoveFlags, remove } from './remove.ts';

export function addSources(program: Command): void {
  const group = program
    .command('sources')
    .summary('list and remove sources of listings')
    .description('Lists where listings and areas come from, and removes all that came from one source.')
    .addHelpText('after', examples('freehold sources list', 'freehold sources remove sample'));
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
}

type SourceState = 'removing' | 'configured' | 'read elsewhere' | 'not configured' | 'imported';

async function list(json: true | undefined): Promise<void> {
  const config = readConfig();
  const sources = await withDatabase(config, async (database) => {
    const stored = await database.read(findSources, { timeout: COUNT_TIMEOUT });
    const ids = stored.map(({ id }) => id);
    const used = await database.read((sql) => findSourcesInUse(sql, ids));
    return stored.map((source) => ({
      ...source,
      state: stateOf(source, configuredSource(config.source), used),
    }));
  });
  if (json) return printJson({ sources: sources.map(({ isReplicated: _, ...source }) => source) });
  printTable(
    ['ID', 'STATE', 'LISTINGS', 'ACTIVE', 'AREAS', 'LAST DATA'],
    sources.map(({ id, state, listings, active, areas, asOf }) => [
      id,
      state,
      count(listings),
      count(active),
      count(areas),
      asOf?.slice(0, 16).replace('T', ' ') ?? '',
    ]),
    'There is none yet.',
  );
}

function stateOf(
  { id, isReplicated, removed }: StoredSource,
  configured: string | null,
  used: readonly string[],
): SourceState {
  if (removed !== null) return 'removing';
  if (id === configured) return 'configured';
  if (used.includes(id)) return 'read elsewhere';
  return isReplicated || REPLICATED.includes(id) ? 'not configured' : 'imported';
}
