// Banner of a start at a terminal: what answers where, where things are kept, and what to try first.

import { VERSION } from './describe.ts';

interface Places {
  readonly url: string;
  readonly docs: string;
  readonly sampleMarket: string | null;
  readonly keysFile: string | null;
  readonly dataDirectory: string;
  readonly database: string;
}

/** Aligned lines under the name and version. */
export function banner({ url, docs, sampleMarket, keysFile, dataDirectory, database }: Places): string {
  const rows: (readonly [string, string | null])[] = [
    ['API', url],
    ['Docs', docs],
    ['Sample market', sampleMarket],
    ['Keys', keysFile],
    ['Data', dataDirectory],
    ['Database', database],
    ['Try first', `curl '${url}/v1/search/sales?maxPrice=500000&minBedrooms=2&limit=3'`],
  ];
  const lines = rows.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(15)}${value}`]));
  return ['', `Freehold ${VERSION}`, ...lines, '', ''].join('\n');
}
