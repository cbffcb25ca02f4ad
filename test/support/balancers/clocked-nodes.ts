// Three processes of the service on one database behind HAProxy, whose clocks the test moves and which it may kill.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TierPlan } from '../../../src/access/tiers/tiers.ts';
import { until } from '../check/until.ts';
import { type Closing, type TestDatabase, temporaryFolder, testDatabase } from '../database/database.ts';
import { type ClockedProcess, startClockedProcess } from '../service/clocked-process.ts';
import { quietPort } from '../service/ports.ts';
import type { ServiceProcessOptions } from '../service/service-process.ts';
import { type Balancer, type NodePorts, startBalancer } from './balancer.ts';

export interface ClockedNodes extends TestDatabase {
  readonly balancer: Balancer;
  readonly ports: NodePorts;
  /** Kills a node, numbered from 1, as `kill -9` does. */
  kill(node: number): Promise<void>;
  /** Starts it again at its port; resolves once HAProxy uses it. */
  restart(node: number): Promise<void>;
  /** Resolves once HAProxy uses these nodes and no other. */
  used(...nodes: readonly number[]): Promise<void>;
  /** Moves the clocks of all nodes by milliseconds. */
  advance(milliseconds: number): Promise<void>;
}

export interface ClockedNodesOptions {
  /** What differs from the tiers of the service. */
  readonly tiers: Readonly<Record<string, Partial<TierPlan>>>;
  /** Settings besides those that nodes behind a balancer have. */
  readonly environment?: Readonly<Record<string, string>>;
}

const PROGRAM = join(import.meta.dirname, '../service/service-process.ts');
/** Milliseconds between two health checks. */
const CHECK_EVERY = 500;

/** Starts them; everything ends with the test. */
export async function startClockedNodes(
  t: Closing,
  { tiers, environment: own = {} }: ClockedNodesOptions,
): Promise<ClockedNodes> {
  const created = await testDatabase(t);
  const folder = await temporaryFolder(t, 'nodes');
  const tiersFile = join(folder, 'tiers.json');
  await writeFile(tiersFile, JSON.stringify(tiers));
  const environment = { TRUSTED_PROXIES: '127.0.0.1', TIERS_FILE: tiersFile, ...own };
  const ports = [await quietPort(), await quietPort(), await quietPort()] as const;
  const processes = new Map<number, ClockedProcess>();
  const begun = Date.now();
  let passed = 0;
  async function start(node: number): Promise<void> {
    const data = join(folder, String(node));
    await mkdir(data, { recursive: true });
    const options: ServiceProcessOptions = {
      databaseUrl: created.url,
      folder: data,
      start: begun + passed,
      port: ports[node - 1] ?? 0,
      environment,
    };
    processes.set(node, await startClockedProcess(t, PROGRAM, options));
  }
  // The first makes the tables: on a busy machine the others would wait for its lock longer than they wait for a connection.
  await start(1);
  await Promise.all([start(2), start(3)]);
  const balancer = await startBalancer(t, 'haproxy', ports, { checkEvery: CHECK_EVERY });
  const used = (...nodes: readonly number[]) =>
    until(`HAProxy uses ${nodes}`, async () => String(await balancer.nodesInUse()) === String(nodes));
  await used(1, 2, 3);
  return {
    ...created,
    balancer,
    ports,
    used,
    async kill(node) {
      await processes.get(node)?.kill();
      processes.delete(node);
    },
    async restart(node) {
      await start(node);
      await used(...[...processes.keys()].toSorted());
    },
    async advance(milliseconds) {
      passed += milliseconds;
      await Promise.all([...processes.values()].map((each) => each.advance(milliseconds)));
    },
  };
}
