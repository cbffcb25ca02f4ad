// P13, P14 and P15: exchanges and checks of tokens against oidc-provider's on the same database, and against PostgreSQL alone.

import { durability, startOAuthArms } from './oauth-arms.ts';
import { checkAgainstPeer } from './oauth-check.ts';
import { compared, inTurns, loadExchanges, ROUNDS, ratio, SECONDS } from './oauth-load.ts';
import { benchRotation } from './oauth-pgbench.ts';
import { CONCURRENCY, type Stand } from './stand.ts';
import { median } from './statistics.ts';
import type { Row } from './throughput.ts';

export async function refreshAgainstPeer(stand: Stand): Promise<Row[]> {
  const { ours, theirs, stop } = await startOAuthArms(stand, 'p13');
  const rounds = await inTurns(
    () => loadExchanges(stand, ours, 'refresh'),
    () => loadExchanges(stand, theirs, 'refresh'),
  );
  await stop();
  const name = `P13 refresh, ours / oidc-provider on PostgreSQL (${await durable(stand)})`;
  return [compared(name, rounds, 4)];
}

/** Both by throughput: what is compared is how much of the database's own speed is left to clients of the service. */
export async function refreshAgainstStatement(stand: Stand): Promise<Row[]> {
  const { ours, theirs, stop } = await startOAuthArms(stand, 'p14');
  await theirs.arm.stop();
  const ratios: number[] = [];
  await loadExchanges(stand, ours, 'refresh');
  for (let round = 0; round < ROUNDS; round++) {
    const bare = () => benchRotation(stand, CONCURRENCY, SECONDS);
    const served = async () => {
      const { requests, seconds } = await loadExchanges(stand, ours, 'refresh');
      return requests / seconds;
    };
    const [a, b] = round % 2 === 0 ? [served, bare] : [bare, served];
    const [first, second, third, fourth] = [await a(), await b(), await b(), await a()];
    const inverse = (second + third) / (first + fourth);
    ratios.push(round % 2 === 0 ? 1 / inverse : inverse);
  }
  await stop();
  const name = `P14 refresh, ours / pgbench of the rotation alone (${CONCURRENCY} at once, ${await durable(stand)})`;
  return [{ name, figure: ratio(ratios), floor: '>= 0.60', met: median(ratios) >= 0.6 }];
}

export async function exchangeAgainstPeer(stand: Stand): Promise<Row[]> {
  const { ours, theirs, stop } = await startOAuthArms(stand, 'p15');
  const exchanges = await inTurns(
    () => loadExchanges(stand, ours, 'code'),
    () => loadExchanges(stand, theirs, 'code'),
  );
  await stop();
  return [
    compared('P15 code for tokens, ours / oidc-provider', exchanges, 4),
    ...(await checkAgainstPeer(stand)),
  ];
}

async function durable(stand: Stand): Promise<string> {
  const [fsync, commit] = await durability(stand);
  return `fsync ${fsync}, synchronous_commit ${commit}`;
}
