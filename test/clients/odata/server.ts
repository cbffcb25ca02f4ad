// OData server of the package simple-odata-server, with records of Property in memory.
// node odata/server.ts: prints its root. A line of stdin is {"put": record} or {"remove": key}; each is answered by a line.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

const require = createRequire(import.meta.url);
const createODataServer = require('simple-odata-server');
const adapter = require('simple-odata-server-nedb');
const Datastore = require('@seald-io/nedb');

const text = { type: 'Edm.String' };
const records = new Datastore({ inMemoryOnly: true });
const model = {
  namespace: 'reso',
  entityTypes: {
    Property: {
      _id: text,
      ListingKey: { type: 'Edm.String', key: true },
      ListingId: text,
      ListPrice: { type: 'Edm.Decimal' },
      StandardStatus: text,
      PropertyType: text,
      City: text,
      BedroomsTotal: { type: 'Edm.Int32' },
      PhotosCount: { type: 'Edm.Int32' },
      ModificationTimestamp: { type: 'Edm.DateTimeOffset' },
    },
  },
  entitySets: { Property: { entityType: 'reso.Property' } },
};

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/odata`;
  const odata = createODataServer(root)
    .model(model)
    .adapter(adapter((_: string, found: (error: null, store: unknown) => void) => found(null, records)));
  server.on('request', (request, response) => odata.handle(request, response));
  console.log(root);
});
for await (const line of createInterface({ input: process.stdin })) {
  const { put, remove } = JSON.parse(line) as { put?: { ListingKey: string }; remove?: string };
  const key = put?.ListingKey ?? remove;
  await records.removeAsync({ _id: key }, {});
  if (put !== undefined) await records.insertAsync({ _id: key, ...put });
  console.log('done');
}
process.exit(0);
