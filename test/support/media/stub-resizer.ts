// Program in place of the one that decodes pictures: it does what the first byte of the file says.

import type { ResizerMessage, ResizeTask } from '../../../src/media/sizes/resizer-protocol.ts';

export const STUB = { echo: 1, hang: 2, die: 3, grow: 4, environment: 5, unavailable: 6 } as const;

const send = (message: ResizerMessage): void => void process.send?.(message);
const done = (file: Buffer, memory = 1): void =>
  send({ state: 'done', result: { state: 'resized', file }, memory });

process.on('disconnect', () => process.exit(0));
process.on('message', ({ file }: ResizeTask) => {
  const [what] = file;
  if (what === STUB.echo) done(file);
  else if (what === STUB.die) process.exit(1);
  else if (what === STUB.grow) done(file, 10 ** 12);
  else if (what === STUB.environment) done(Buffer.from(Object.keys(process.env).sort().join(' ')));
  else if (what === STUB.unavailable) send({ state: 'unavailable', reason: 'no such package' });
});
