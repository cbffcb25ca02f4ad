// Command `freehold nodes`: the processes that serve the database.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { findNodes, type Node } from '../nodes/node-store.ts';
import { withDatabase } from './database.ts';
import { examples, JSON_OPTION } from './options.ts';
import { count, printJson, printTable } from './output.ts';

export function addNodes(program: Command): void {
  program
    .command('nodes')
    .summary('show the processes of the service')
    .description(
      'Lists the processes that serve this database, and those that have ended within the last hour without saying so: their\n' +
        'versions, how far their searches are behind, and the work that each does for all.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold nodes', 'freehold nodes --json'))
    .action(async ({ json }: { readonly json?: true }) => {
      const nodes = await withDatabase(readConfig(), (database) => database.read(findNodes));
      if (json) return printJson({ nodes });
      printTable(
        ['PROCESS', 'VERSION', 'SOURCE', 'SINCE', 'SEEN', 'SEARCHES', 'WORK'],
        nodes.map(rowOf),
        'No process serves this database.',
      );
    });
}

function rowOf({ name, version, source, startedAt, ...node }: Node): string[] {
  const { isAlive, unseenMs, searchState, searchLagMs, leases } = node;
  const seen = `${count(Math.round(unseenMs / 1_000))} s ago`;
  return [
    name,
    version,
    source,
    startedAt.slice(0, 19).replace('T', ' '),
    isAlive ? seen : `gone, ${seen}`,
    searchLagMs === null ? searchState : `${count(Math.round(searchLagMs))} ms behind`,
    leases.join(', ') || '-',
  ];
}
