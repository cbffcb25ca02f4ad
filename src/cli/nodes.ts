// Command `freehold nodes`: the processes that serve the database.

import type { Command } from 'commander';
import { findLimitsModes } from '../access/limits/shared/node-mode-store.ts';
import type { LimitsMode } from '../access/limits/shared/phases.ts';
import { readConfig } from '../config.ts';
import { findNodes, type Node } from '../nodes/node-store.ts';
import type { Sql } from '../postgres/client/database.ts';
import { withDatabase } from './database.ts';
import { examples, JSON_OPTION } from './options.ts';
import { count, printJson, printTable } from './output.ts';

export function addNodes(program: Command): void {
  program
    .command('nodes')
    .summary('show the processes of the service')
    .description(
      'Lists the processes that serve this database, and those that have ended within the last hour without saying so: their\n' +
        'versions, how far their searches are behind, how they count limits, and the work that each does for all.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold nodes', 'freehold nodes --json'))
    .action(async ({ json }: { readonly json?: true }) => {
      const nodes = await withDatabase(readConfig(), (database) => database.read(findWithLimits));
      if (json) return printJson({ nodes });
      printTable(
        ['PROCESS', 'VERSION', 'SOURCE', 'SINCE', 'SEEN', 'SEARCHES', 'LIMITS', 'WORK'],
        nodes.map(rowOf),
        'No process serves this database.',
      );
    });
}

interface ShownNode extends Node {
  /** `alone`: it counts limits by itself, without LIMITS_URL; null: it is gone. */
  readonly limits: LimitsMode | 'alone' | null;
}

async function findWithLimits(sql: Sql): Promise<ShownNode[]> {
  const nodes = await findNodes(sql);
  const modes = await findLimitsModes(sql);
  return nodes.map((node) => ({
    ...node,
    limits: node.isAlive ? (modes.get(node.name) ?? 'alone') : null,
  }));
}

function rowOf({ name, version, source, startedAt, ...node }: ShownNode): string[] {
  const { isAlive, unseenMs, searchState, searchLagMs, limits, leases } = node;
  const seen = `${count(Math.round(unseenMs / 1_000))} s ago`;
  return [
    name,
    version,
    source,
    startedAt.slice(0, 19).replace('T', ' '),
    isAlive ? seen : `gone, ${seen}`,
    searchLagMs === null ? searchState : `${count(Math.round(searchLagMs))} ms behind`,
    limits ?? '-',
    leases.join(', ') || '-',
  ];
}
