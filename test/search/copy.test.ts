// Proves that PostgreSQL's COPY loads an export into the table of docs/examples/listings.sql, with the values of the API's JSON.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { parseDatabaseUrl } from '../../src/postgres/client/connection-url.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { atEnd } from '../support/database/database.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const TABLE = readSource('docs/examples/listings.sql').text;

/** Texts that readers of CSV stumble over. */
const TEXTS = [
  '',
  ' ',
  'a, "b"\r\nc',
  '\\N',
  '\\.',
  '\n\\.\n',
  'NULL',
  '=1+1',
  '-2 rooms, +1',
  '@home',
  'a|b',
  '“ü” 🏠',
  'x\ty',
  '""',
];
const RENTAL: NonNullable<ListingDraft['rental']> = {
  availableFrom: '2035-07-01',
  leaseTerm: [],
  leaseTermMonths: null,
  furnished: '',
  pets: ['Cats', 'Dogs, small'],
  petsAllowed: false,
  utilitiesIncluded: [],
  moveInCosts: [{ type: 'a "deposit", once', amount: 1234.5 }],
  noFee: null,
  monthsFree: 0,
  netEffectivePrice: null,
  rentControl: null,
};
await service.database.transaction((tx) => {
  const drafts = TEXTS.flatMap((text, at) =>
    (['sale', 'rental'] as const).map((listingType) =>
      draft(`${listingType}-${at}`, {
        listingType,
        listPrice: at === 0 ? null : at * 1_234.56,
        description: text,
        bathrooms: at / 4,
        features: at % 2 === 0 ? [] : ['pool', 'gym'],
        newConstruction: at % 3 === 0 ? null : at % 3 === 1,
        address: { ...NO_ADDRESS, city: text, unit: at % 2 === 0 ? null : text },
        location: at % 4 === 0 ? null : { lat: -10.123456, lng: 179.5, precision: 'exact' },
        rental: listingType === 'sale' ? null : RENTAL,
      }),
    ),
  );
  return createCatalogue(service.database).write(tx, 'test', drafts, service.clock.now());
});

test('the table is that of openapi.json: if not, run node tools/copy-table.ts > docs/examples/listings.sql', () => {
  assert.equal(execFileSync(process.execPath, [join(ROOT, 'tools/copy-table.ts')]).toString(), TABLE);
});

type Row = Readonly<Record<string, unknown>>;

/** A record's value at `a.b`, null where a part is null. */
const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Row | null | undefined)?.[key], record) ?? null;

/** What a row of the table says, in the forms of the API: as docs/python.md explains the columns. */
function asAnswered(value: unknown, expected: unknown): unknown {
  if (value === null) return null;
  if (value instanceof Date) return value.getTime();
  if (Array.isArray(expected) && typeof value === 'string') return value === '' ? [] : value.split('|');
  return typeof value === 'string' ? value.replace(/^'(?=[=@\t\r+-])/, '') : value;
}

test('COPY loads exports of sales and rentals, and each value is that of the JSON answer', async (t) => {
  const { host, port, database, user, password } = parseDatabaseUrl(service.databaseUrl);
  const sql = postgres({
    host,
    port,
    database,
    username: user,
    password: password ?? '',
    max: 1,
    types: {
      numeric: { to: 1700, from: [1700, 20], serialize: String, parse: Number },
      // Dates without a time.
      day: { to: 1082, from: [1082], serialize: String, parse: (text: string) => text },
    },
  });
  atEnd(t, () => sql.end());
  await sql.unsafe(`create schema copied; set search_path to copied; ${TABLE}`);
  const records: Row[] = [];
  for (const path of ['/v1/search/sales', '/v1/search/rentals']) {
    const csv = await service.get(`${path}/export`, service.keys.internal);
    await pipeline(
      Readable.from(await csv.text()),
      await sql`copy listings from stdin with (format csv, header match)`.writable(),
    );
    const lines = await (await service.get(`${path}/ndjson`, service.keys.internal)).text();
    records.push(
      ...lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Row),
    );
  }
  const rows = await sql<Row[]>`select * from listings`;
  assert.equal(rows.length, TEXTS.length * 2);
  assert.equal(records.length, rows.length);
  /** Kinds of values that were compared, so that none is missing by chance. */
  const kinds = new Set<string>();
  for (const record of records) {
    const row = rows.find(({ id }) => id === record.id) ?? assert.fail(String(record.id));
    for (const [column, value] of Object.entries(row)) {
      const answered = valueAt(record, column);
      const expected = value instanceof Date ? Date.parse(String(answered)) : answered;
      assert.deepEqual(asAnswered(value, answered), expected, `${column} of ${record.id}`);
      kinds.add(
        answered === ''
          ? 'empty text'
          : Array.isArray(answered)
            ? `list of ${answered.length}`
            : typeof answered,
      );
      if (answered === null) kinds.add('null');
    }
  }
  for (const kind of [
    'null',
    'empty text',
    'string',
    'number',
    'boolean',
    'list of 0',
    'list of 1',
    'list of 2',
  ])
    assert.ok(kinds.has(kind), kind);
});
