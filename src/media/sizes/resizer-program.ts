// Process that decodes pictures: one at a time, with four decoders, little memory, and nothing of the service's environment.

import { writeFileSync } from 'node:fs';
import { systemClock } from '../../lib/clock.ts';
import { readExif } from '../pictures/exif.ts';
import { MAX_PIXELS } from '../pictures/image-head.ts';
import {
  MAX_MEMORY,
  OUT_OF_MEMORY,
  type ResizeResult,
  type ResizerMessage,
  type ResizeTask,
} from './resizer-protocol.ts';

/** Milliseconds between two looks at the memory. */
const LOOK = 25;
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`);
/** Heights of more than three widths would pass what WebP can hold. */
const MAX_RATIO = 3;
/** As good as the eye needs at these sizes; AVIF is made fast rather than small. */
const ENCODING = { webp: { quality: 78, effort: 3 }, avif: { quality: 55, effort: 3 } } as const;

const send = (message: ResizerMessage): void => void process.send?.(message);

// It never outlives the service.
process.on('disconnect', () => process.exit(0));
// Signals to the whole group: the service finishes its answers, and then ends this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
watchMemory();
try {
  // Where memory is short, this process goes and not the service.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Other systems have no such file.
}

const sharp = await import('sharp').then(
  (module) => module.default,
  (error: Error) => error,
);
if (sharp instanceof Error) send({ state: 'unavailable', reason: sharp.message.split('\n')[0] ?? '' });
else start(sharp);

function watchMemory(): void {
  if (process.memoryUsage.rss() > MAX_MEMORY) process.exit(OUT_OF_MEMORY);
  systemClock.after(LOOK, watchMemory);
}

type Sharp = Exclude<typeof sharp, Error>;

function start(decoder: Sharp): void {
  decoder.cache(false);
  decoder.concurrency(1);
  decoder.block({ operation: ['VipsForeignLoad'] });
  decoder.unblock({ operation: DECODERS });
  process.on('message', (task: ResizeTask) => {
    void resize(decoder, task).then((result) =>
      send({ state: 'done', result, memory: process.memoryUsage.rss() }),
    );
  });
  send({ state: 'ready' });
}

async function resize(
  decoder: Sharp,
  { file, size: { width, format }, isStrict }: ResizeTask,
): Promise<ResizeResult> {
  try {
    const picture = decoder(file, {
      limitInputPixels: MAX_PIXELS,
      failOn: isStrict ? 'error' : 'none',
      autoOrient: true,
    });
    const { exif } = await picture.metadata();
    const named = exif?.subarray(0, 4).toString('latin1') === 'Exif' ? exif.subarray(6) : exif;
    const copyright = named === undefined ? null : readExif(named).copyright;
    const resized = picture.resize({
      width,
      height: width * MAX_RATIO,
      fit: 'inside',
      withoutEnlargement: true,
    });
    if (copyright !== null) resized.withExif({ IFD0: { Copyright: copyright.toString() } });
    const encoded = format === 'webp' ? resized.webp(ENCODING.webp) : resized.avif(ENCODING.avif);
    return { state: 'resized', file: await encoded.toBuffer() };
  } catch (error) {
    return { state: 'refused', reason: (error as Error).message };
  }
}
