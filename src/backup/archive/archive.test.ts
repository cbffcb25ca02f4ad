// Proves that an archive gives back what was written, and that nothing that happens to its bytes stays unnoticed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  ArchiveError,
  NewerArchive,
  NotAnArchive,
  PassphraseMissing,
  WrongPassphrase,
} from './archive-error.ts';
import { ARCHIVE_FORMAT, type ArchiveHeader, type ArchiveManifest, KEYS_NAME, PART_BYTES } from './format.ts';
import { type ArchiveEntry, readArchive } from './read-archive.ts';
import { verifyArchive } from './verify-archive.ts';
import { type ManifestFacts, writeArchive } from './write-archive.ts';

const HEADER: ArchiveHeader = {
  format: ARCHIVE_FORMAT,
  release: '0.2.0',
  createdAt: '2026-11-28T03:00:00.000Z',
  postgres: '18.4',
  final: false,
  migrations: [{ version: 42, name: '042_one.sql', checksum: 'ab' }],
  sequence: 17,
  tables: [
    { name: 'listing', columns: ['id', 'body'], partition: null },
    {
      name: 'change_default',
      columns: ['id'],
      partition: { of: 'change', bounds: 'DEFAULT' },
    },
  ],
};
const FACTS: ManifestFacts = {
  finishedAt: '2026-11-28T03:01:00.000Z',
  sequences: [{ name: 'change_sequence', value: '17', isCalled: true }],
  outside: { settings: ['DATABASE_URL'], files: [] },
};
const PASSPHRASE = 'correct horse battery staple';
/** Cheap to derive a key from. */
const SEAL = { passphrase: PASSPHRASE, cost: 4 };

interface Part {
  readonly table: string;
  readonly rows: readonly string[];
}

const PARTS: readonly Part[] = [
  { table: 'listing', rows: ['a\tone\n', 'b\ttwo\n'] },
  { table: 'change_default', rows: ['1\n'] },
  { table: 'listing', rows: ['c\t\\N\n'] },
];

async function write(parts: readonly Part[], seal: typeof SEAL | null, header = HEADER): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      // Later, as a disk does.
      setImmediate(done);
    },
  });
  await writeArchive({ header, output, seal }, async (writer) => {
    await writer.addFile(KEYS_NAME, Buffer.from('key'));
    // All at once: whoever adds parts need not wait for others.
    await Promise.all(
      parts.map(({ table, rows }) =>
        writer.addPart(
          table,
          rows.length,
          rows.map((row) => Buffer.from(row)),
        ),
      ),
    );
    return FACTS;
  });
  return Buffer.concat(chunks);
}

const open = (bytes: Buffer, passphrase: string | null = PASSPHRASE, chunk = 1_000) => {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) =>
    bytes.subarray(at * chunk, (at + 1) * chunk),
  );
  return readArchive(Readable.from(chunks), { passphrase: async () => passphrase });
};

const readAll = async (bytes: Buffer, passphrase?: string | null, chunk?: number): Promise<ArchiveEntry[]> =>
  Array.fromAsync((await open(bytes, passphrase, chunk)).entries);

const plain = await write(PARTS, null);
const sealed = await write(PARTS, SEAL);

for (const [kind, bytes] of [
  ['plain', plain],
  ['sealed', sealed],
] as const) {
  test(`a ${kind} archive gives back its header, parts, files and manifest, in whatever chunks it comes`, async () => {
    for (const chunk of [1, 7, 100_000]) {
      const archive = await open(bytes, PASSPHRASE, chunk);
      assert.deepEqual(archive.header, HEADER);
      assert.equal(archive.isEncrypted, kind === 'sealed');
      const entries = await Array.fromAsync(archive.entries);
      const parts = entries.flatMap((entry) => (entry.kind === 'part' ? [entry] : []));
      assert.deepEqual(
        parts.map(({ table, rows }) => ({ table: table.name, rows: rows.toString() })),
        PARTS.map(({ table, rows }) => ({ table, rows: rows.join('') })),
      );
      assert.deepEqual(entries[0], { kind: 'file', name: 'secrets.key', content: Buffer.from('key') });
      const manifest = manifestOf(entries);
      assert.deepEqual(manifest.tables, [
        { name: 'listing', rows: 3, bytes: 17 },
        { name: 'change_default', rows: 1, bytes: 2 },
      ]);
      assert.deepEqual(manifest.sequences, FACTS.sequences);
    }
  });

  test(`any byte of a ${kind} archive that is changed is noticed`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ mask;
        await assert.rejects(readAll(damaged), ArchiveError);
      }),
      { numRuns: 400 },
    );
  });

  test(`a ${kind} archive that is cut short, or longer than it was, is noticed`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        await assert.rejects(readAll(bytes.subarray(0, length)), ArchiveError);
      }),
      { numRuns: 200 },
    );
    for (const more of [Buffer.alloc(1), Buffer.alloc(512), bytes])
      await assert.rejects(readAll(Buffer.concat([bytes, more])), ArchiveError);
  });
}

test('each byte of a short archive counts', async () => {
  for (let at = 0; at < plain.length; at += 1) {
    const damaged = Buffer.from(plain);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    await assert.rejects(readAll(damaged), ArchiveError, `byte ${at}`);
  }
});

test('chunks of a sealed archive cannot be swapped, repeated or left out', async () => {
  // Random, so that it is not compressed.
  const rows = Array.from({ length: 40_000 }, () => `${Math.random()}${Math.random()}\t${Math.random()}\n`);
  const bytes = await write([{ table: 'listing', rows }], SEAL);
  const header = 104;
  assert.equal(bytes.subarray(0, 16).toString(), 'freehold-sealed\n');
  const size = 64 * 1024 + 16;
  const chunk = (at: number) => bytes.subarray(header + at * size, header + (at + 1) * size);
  assert.ok(bytes.length > header + 3 * size, 'it has several chunks');
  const rest = bytes.subarray(header + 3 * size);
  const put = (...chunks: Buffer[]) => Buffer.concat([bytes.subarray(0, header), ...chunks]);
  assert.equal(put(chunk(0), chunk(1), chunk(2), rest).equals(bytes), true);
  for (const other of [
    put(chunk(1), chunk(0), chunk(2), rest),
    put(chunk(0), chunk(0), chunk(1), chunk(2), rest),
    put(chunk(0), chunk(2), rest),
    put(chunk(0), chunk(1)),
    put(),
  ])
    await assert.rejects(readAll(other), ArchiveError);
});

test('only the passphrase opens a sealed archive', async () => {
  await assert.rejects(readAll(sealed, 'correct horse battery stapl'), WrongPassphrase);
  await assert.rejects(readAll(sealed, null), PassphraseMissing);
  assert.equal(sealed.includes(Buffer.from('secrets.key')), false);
  await assert.rejects(write(PARTS, { passphrase: '', cost: 4 }), ArchiveError);
});

test('other files and newer formats are refused by name', async () => {
  await assert.rejects(readAll(Buffer.from('PGDMP')), NotAnArchive);
  await assert.rejects(readAll(Buffer.alloc(0)), NotAnArchive);
  const newer = await write(PARTS, null, { ...HEADER, format: ARCHIVE_FORMAT + 1, release: '9.0.0' });
  await assert.rejects(
    readAll(newer),
    (error) => error instanceof NewerArchive && /9\.0\.0/.test(error.message),
  );
});

test('parts of any size and number come back, and verifying counts their rows', async () => {
  const long = `${'x'.repeat(PART_BYTES + 1_000)}\ty\n`;
  const parts = [
    ...Array.from({ length: 60 }, (_, at) => ({
      table: 'listing',
      rows: [`${at}\t${'é'.repeat(at * 1_000)}\n`],
    })),
    { table: 'listing', rows: [long, long] },
  ];
  const bytes = await write(parts, SEAL);
  const { manifest, files, header } = await verifyArchive(Readable.from([bytes]), {
    passphrase: async () => PASSPHRASE,
  });
  assert.equal(manifest.tables[0]?.rows, 62);
  assert.deepEqual([files, header.sequence], [['secrets.key'], 17]);
});

test('an output that fails, and rows that cannot be read, end the writing with their error', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const disk = () => new Writable({ write: (_chunk, _encoding, done) => done(full) });
  const rows = Array.from({ length: 20_000 }, () => Buffer.from(`${Math.random()}\n`));
  await assert.rejects(
    writeArchive({ header: HEADER, output: disk(), seal: null }, async (writer) => {
      for (;;) await writer.addPart('listing', rows.length, rows);
    }),
    full,
  );
  const lost = new Error('connection lost');
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  await assert.rejects(
    writeArchive({ header: HEADER, output, seal: null }, () => Promise.reject(lost)),
    lost,
  );
  assert.equal(output.destroyed, true);
});

test('common programs read it: zstd and tar', (t) => {
  const names = spawnSync('sh', ['-c', 'zstd -dc | tar tf -'], { input: plain, encoding: 'utf8' });
  if (spawnSync('zstd', ['--version']).error !== undefined)
    return t.skip('zstd is not installed: apt-get install zstd');
  assert.equal(names.stderr, '');
  assert.deepEqual(names.stdout.trim().split('\n'), [
    'archive.json',
    'secrets.key',
    'data/listing/000001',
    'data/change_default/000001',
    'data/listing/000002',
    'manifest.json',
  ]);
});

function manifestOf(entries: readonly ArchiveEntry[]): ArchiveManifest {
  const last = entries.at(-1);
  assert.equal(last?.kind, 'manifest');
  return last.manifest;
}
