// P13, P14 and P15: exchanges and checks of tokens, compared with oidc-provider on the same database and with PostgreSQL alone.

import { median } from '../statistics.ts';
import { CONCURRENCY, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { durability, startOAuthArms } from './arms.ts';
import { checkAgainstPeer } from './check.ts';
import { compared, inTurns, loadExchanges, ROUNDS, ratio, SECONDS } from './load.ts';
import { benchRotation } from './pgbench.ts';

export async function refreshAgainstPeer(testbed: Testbed): Promise<Row[]> {
  const { ours, theirs, stop } = await startOAuthArms(testbed, 'p13');
  const rounds = await inTurns(
    () => loadExchanges(testbed, ours, 'refresh'),
    () => loadExchanges(testbed, theirs, 'refresh'),
  );
  await stop();
  const name = `P13 refresh, ours / oidc-provider on PostgreSQL (${await durable(testbed)})`;
  return [compared(name, rounds, 3)];
}

/** Both by throughput: what is compared is how much of the database's own speed is left to clients of the service. */
export async function refreshAgainstStatement(testbed: Testbed): Promise<Row[]> {
  const { ours, theirs, stop } = await startOAuthArms(testbed, 'p14');
  await theirs.arm.stop();
  const ratios: number[] = [];
  await loadExchanges(testbed, ours, 'refresh');
  for (let round = 0; round < ROUNDS; round++) {
    const bare = () => benchRotation(testbed, CONCURRENCY, SECONDS);
    const served = async () => {
      const { requests, seconds } = await loadExchanges(testbed, ours, 'refresh');
      return requests / seconds;
    };
    const [a, b] = round % 2 === 0 ? [served, bare] : [bare, served];
    const [first, second, third, fourth] = [await a(), await b(), await b(), await a()];
    const inverse = (second + third) / (first + fourth);
    ratios.push(round % 2 === 0 ? 1 / inverse : inverse);
  }
  await stop();
  const name = `P14 refresh, ours / pgbench of the rotation alone (${CONCURRENCY} at once, ${await durable(testbed)})`;
  return [{ name, figure: ratio(ratios), floor: '>= 0.60', met: median(ratios) >= 0.6 }];
}

export async function exchangeAgainstPeer(testbed: Testbed): Promise<Row[]> {
  const { ours, theirs, stop } = await startOAuthArms(testbed, 'p15');
  const exchanges = await inTurns(
    () => loadExchanges(testbed, ours, 'code'),
    () => loadExchanges(testbed, theirs, 'code'),
  );
  await stop();
  return [
    compared('P15 code for tokens, ours / oidc-provider', exchanges, 3),
    ...(await checkAgainstPeer(testbed)),
  ];
}

async function durable(testbed: Testbed): Promise<string> {
  const [fsync, commit] = await durability(testbed);
  return `fsync ${fsync}, synchronous_commit ${commit}`;
}
