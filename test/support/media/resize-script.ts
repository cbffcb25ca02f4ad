// Script that decodes a picture as the service does, for where the service is installed: what it needs is there, and runs.

import { png } from './image-host.ts';

/** Arguments of Node; it prints `resized`. `build`: the folder of the compiled program, absolute. */
export const resizeArguments = (build: string): readonly string[] => [
  '--input-type=module',
  '--eval',
  `const { Resizer } = await import(${JSON.stringify(`${build}/src/media/sizes/resizer.js`)});
const { systemClock } = await import(${JSON.stringify(`${build}/src/lib/clock.js`)});
const resizer = new Resizer({ clock: systemClock, onUnavailable: (error) => console.log(error.message) });
const alive = setInterval(() => {}, 1000);
const file = Buffer.from(process.argv[1], 'base64');
const task = { file, size: { width: 320, format: 'webp' }, isStrict: true };
console.log((await resizer.run(async () => task, new AbortController().signal)).state);
resizer.close();
clearInterval(alive);`,
  png(640, 480).toString('base64'),
];
