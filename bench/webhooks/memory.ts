// Memory of a service that delivers webhooks to ten thousand hosts.

import { MEGABYTE, resident } from '../memory.ts';
import { openTestbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { startEndpoints } from './endpoints.ts';
import { startSink } from './sink.ts';

const HOSTS = 10_000;
/** Rounds, in each of which every host gets an event. */
const ROUNDS = 3;

export async function memoryOfHosts(): Promise<Row[]> {
  const testbed = await openTestbed(0);
  const sink = await startSink();
  try {
    const { service, write } = await startEndpoints(testbed, sink, HOSTS);
    const weights = [await resident(service)];
    for (let round = 0; round < ROUNDS; round++) {
      await sink.deliver(HOSTS, () => write(1));
      weights.push(await resident(service));
    }
    await service.stop();
    const [before, ...after] = weights.map((bytes) => (bytes / MEGABYTE).toFixed(0));
    const name = `webhooks: memory before, and after each of ${ROUNDS} events to ${HOSTS.toLocaleString('en')} hosts`;
    return [{ name, figure: `${before}, then ${after.join(', ')} MB resident`, floor: '', met: true }];
  } finally {
    sink.close();
    await testbed.close();
  }
}
