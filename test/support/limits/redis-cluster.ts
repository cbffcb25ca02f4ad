// Cluster of Redis on this machine for tests: three masters, the first with a replica, and slots that can be moved.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import { quietPort } from '../service/ports.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

export interface RedisCluster {
  readonly masters: readonly RedisServer[];
  /** Of the first master: takes its place when it dies. */
  readonly replica: RedisServer;
  /** Which master has the slot of this key, as its number among the masters. */
  ownerOf(key: string): Promise<number>;
  /** Begins to move the slot of a key to another master; what has not been moved yet stays. Gives the rest of the move. */
  beginMove(key: string, to: number): Promise<() => Promise<void>>;
}

const execute = promisify(execFile);
/** Milliseconds without an answer after which a node is suspected by the others. */
const NODE_TIMEOUT = 1_500;

/** Starts it; resolves once all of it takes commands, and the replica follows. */
export async function startCluster(t: Closing, ...settings: string[]): Promise<RedisCluster> {
  const start = async () => {
    const own = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(NODE_TIMEOUT)];
    return startRedis(t, ...own, '--cluster-port', String(await quietPort()), ...settings);
  };
  const [first, second, third, replica] = await Promise.all([start(), start(), start(), start()]);
  const masters = [first, second, third];
  const addresses = masters.map(({ port }) => `127.0.0.1:${port}`);
  await execute('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes']);
  const ids = await Promise.all(masters.map((each) => each.command('cluster', 'myid')));
  const toFirst = [`127.0.0.1:${replica.port}`, addresses[0] ?? ''];
  const asReplica = ['--cluster-slave', '--cluster-master-id', ids[0] ?? ''];
  await execute('redis-cli', ['--cluster', 'add-node', ...toFirst, ...asReplica]);
  await until('the cluster takes commands', async () => {
    const states = await Promise.all(masters.map((each) => each.command('cluster', 'info')));
    return states.every((state) => state.includes('cluster_state:ok'));
  });
  await until('the replica follows', async () =>
    (await replica.command('info', 'replication')).includes('master_link_status:up'),
  );

  async function ownerOf(key: string): Promise<number> {
    const slot = Number(await first.command('cluster', 'keyslot', key));
    const nodes = (await second.command('cluster', 'nodes')).split('\n');
    const has = (range: string): boolean => {
      const [from = '', to = from] = range.split('-');
      return slot >= Number(from) && slot <= Number(to);
    };
    const owner = nodes.find((node) => node.split(' ').slice(8).some(has))?.split(' ')[0] ?? '';
    return ids.indexOf(owner);
  }

  async function beginMove(key: string, to: number): Promise<() => Promise<void>> {
    const from = await ownerOf(key);
    const [source, target] = [masters[from], masters[to]];
    const [sourceId, targetId] = [ids[from], ids[to]];
    if (source === undefined || target === undefined || sourceId === undefined || targetId === undefined)
      throw new Error(`The slot of ${key} cannot be moved from ${from} to ${to}`);
    const slot = await source.command('cluster', 'keyslot', key);
    await target.command('cluster', 'setslot', slot, 'importing', sourceId);
    await source.command('cluster', 'setslot', slot, 'migrating', targetId);
    return async () => {
      const keys = (await source.command('cluster', 'getkeysinslot', slot, '10000')).split('\n');
      const goal = ['127.0.0.1', String(target.port), '', '0', '5000', 'keys'];
      if (keys[0] !== '') await source.command('migrate', ...goal, ...keys);
      for (const each of [target, source, ...masters])
        await each.command('cluster', 'setslot', slot, 'node', targetId);
    };
  }

  return { masters, replica, ownerOf, beginMove };
}
