// Server of the service in a comparison.

import { readConfig } from '../src/config.ts';
import { serve } from '../src/main.ts';

process.on('SIGUSR2', () => globalThis.gc?.());
process.stdout.write('starting\n');
let isStopped = false;
const running = serve(readConfig()).finally(() => {
  isStopped = true;
});
// The banner is printed once the service answers; this line is what the testbed waits for.
const { PORT } = process.env;
while (!isStopped) {
  const answer = await fetch(`http://127.0.0.1:${PORT}/livez`).catch(() => null);
  if (answer?.ok) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdout.write('ready\n');
await running;
