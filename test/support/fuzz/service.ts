// The fuzzer's dealings with the service in its child: starting it on some data, sending bytes, asking how it fares.

import { connect } from 'node:net';
import { areaId } from '../../../src/areas/area.ts';
import type { Limits } from '../../../src/http/server/server.ts';
import { writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { draft, NO_ADDRESS } from '../catalogue/drafts.ts';
import { type Closing, temporaryFolder, testDatabase } from '../database/database.ts';
import { startProgram } from '../process/children.ts';
import type { ChildOptions, Fared } from './child.ts';

export interface FuzzService {
  readonly port: number;
  /** Of the Internal tier. */
  readonly key: string;
  /** Ids that exist. */
  readonly ids: readonly string[];
  /** Its report of the time since the last one; throws when it has died. */
  fared(): Promise<Fared>;
}

export interface Sent {
  readonly statuses: readonly number[];
  readonly text: string;
  /** The connection was still open when patience ended. */
  readonly hung: boolean;
}

/** Milliseconds of silence after which a client ends its side: who ends it sooner gets no answer from Node. */
const GOING = 150;

export async function startFuzzService(t: Closing, limits: Partial<Limits> = {}): Promise<FuzzService> {
  const { database, url: databaseUrl } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'fuzz');
  const catalogue = createCatalogue(database);
  const area = {
    type: 'city',
    externalId: 'aldern',
    name: 'Aldern',
    aliases: ['Old Aldern'],
    codes: {},
  } as const;
  await writeAreaBatch(database, 'fuzz', [{ ...area, parentReference: null, population: 5, boundary: null }]);
  const drafts = Array.from({ length: 40 }, (_, at) =>
    draft(`listing-${at}`, {
      listingType: at % 2 === 0 ? 'sale' : 'rental',
      listPrice: 1_000 * at,
      bedrooms: at % 5,
      address: { ...NO_ADDRESS, city: 'Aldern' },
      location: { lat: 41, lng: -73, precision: 'exact' },
    }),
  );
  const { ids } = await database.transaction((tx) => catalogue.write(tx, 'fuzz', drafts, Date.now()));
  const options: ChildOptions = { databaseUrl, folder, limits };
  const child = startProgram(t, 'fuzz/child.ts', [JSON.stringify(options)]);
  const { port, key } = JSON.parse((await child.line()) ?? 'null') as { port: number; key: string };
  return {
    port,
    key,
    ids: [areaId('city', 'aldern'), ...ids.values()],
    async fared() {
      child.kill('SIGUSR2');
      const line = await child.line();
      if (line === undefined) throw new Error('The service has died');
      return JSON.parse(line) as Fared;
    },
  };
}

/**
 * Sends bytes on a connection of their own and waits for its end. Our side ends once nothing
 * happens any more; `open`: it never does, so the service has to end it.
 */
export function sendBytes(port: number, bytes: Buffer, open: boolean, patience: number): Promise<Sent> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let hung = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => void socket.write(bytes));
    socket.setTimeout(open ? patience : GOING, () => {
      if (socket.writable && !open) {
        socket.end();
        socket.setTimeout(patience);
      } else {
        hung = true;
        socket.destroy();
      }
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => socket.end());
    socket.on('error', () => {});
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1');
      const statuses = [...text.matchAll(/(?:^|\n)HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) =>
        Number(status),
      );
      resolve({ statuses, text, hung });
    });
  });
}
