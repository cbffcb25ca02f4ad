// Owns what the terminal shows of a start: where everything is, and how far the first load has come.

import type { Config } from '../config.ts';
import type { Progress } from '../sources/progress.ts';
import { VERSION } from './describe.ts';
import type { Storage } from './storage.ts';

interface Started {
  readonly config: Config;
  readonly storage: Storage;
  readonly publicUrl: string;
  readonly sampleUrl: string | null;
  readonly keysFile: string | null;
}

/** Aligned lines: what answers where, where things are kept, and what to try first. */
export function banner({ config, storage, publicUrl, sampleUrl, keysFile }: Started): string {
  const place = storage.embedded?.place.cluster ?? 'the server that DATABASE_URL names';
  const rows: (readonly [string, string | null])[] = [
    ['API', publicUrl],
    ['Docs', `${publicUrl}/docs`],
    ['Sample market', sampleUrl],
    ['Keys', keysFile],
    ['Data', config.dataDirectory],
    ['Database', place],
  ];
  const lines = rows.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(15)}${value}`]));
  const first = `  Try first      curl '${publicUrl}/v1/search/sales?maxPrice=500000&minBedrooms=2&limit=3'`;
  return ['', `Freehold ${VERSION}`, ...lines, first, '', ''].join('\n');
}

/** Shows the first load: one moving line on a terminal, else a line every tenth of the way. */
export function progressLine(): (progress: Progress) => void {
  let shown = -1;
  return (progress) => {
    const share = progress.total ? progress.records / progress.total : 0;
    const text = describe(progress);
    const complete = progress.total !== null && progress.records >= progress.total;
    if (process.stdout.isTTY) {
      process.stdout.write(`\r\u001b[K${text}${complete ? '\n' : ''}`);
    } else if (Math.floor(share * 10) > shown) {
      shown = Math.floor(share * 10);
      process.stdout.write(`${text}\n`);
    }
  };
}

function describe({ records, total, perSecond, secondsLeft }: Progress): string {
  const count = (value: number): string => value.toLocaleString('en-US');
  const of = total === null ? '' : ` of ${count(total)}`;
  const left = secondsLeft === null ? '' : `, ${secondsLeft} s left`;
  return `First load: ${count(records)}${of} listings, ${count(perSecond)} a second${left}`;
}
