// Proves that DATABASE_URL is read as operators write it, and that a faulty one is never repeated.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDatabaseUrl, socketUrl } from './connection-url.ts';

test('a URL with every part is read', () => {
  assert.deepEqual(parseDatabaseUrl('postgresql://ann:p%40ss@db.example:6543/homes?sslmode=verify-full'), {
    host: 'db.example',
    port: 6543,
    database: 'homes',
    user: 'ann',
    password: 'p@ss',
    encryption: 'verify-full',
  });
});

test('what is left out has the usual value', () => {
  const expected = { host: 'localhost', port: 5432, database: 'ann', user: 'ann', encryption: 'prefer' };
  assert.deepEqual(parseDatabaseUrl('postgres://ann@'), expected);
  assert.deepEqual(parseDatabaseUrl('postgres:///?user=ann'), expected);
});

test('an IPv6 address is read', () => {
  const { host, port } = parseDatabaseUrl('postgres://ann@[::1]:5433/homes');
  assert.deepEqual({ host, port }, { host: '::1', port: 5433 });
});

test('several servers are one database whose writing server is meant', () => {
  const expected = {
    host: 'one',
    port: 5433,
    others: [{ host: 'two', port: 5432 }],
    mustWrite: true,
    database: 'homes',
    user: 'ann',
    encryption: 'prefer',
  };
  assert.deepEqual(parseDatabaseUrl('postgres://ann@one:5433,two/homes'), expected);
  assert.deepEqual(
    parseDatabaseUrl('postgres://ann@/homes?host=one,two&port=5433,5432&target_session_attrs=read-write'),
    expected,
  );
  const { others, mustWrite } = parseDatabaseUrl('postgres://ann@one/homes?target_session_attrs=primary');
  assert.deepEqual([others, mustWrite], [undefined, true]);
});

test('a socket URL that was written is read back as it was, whatever the names', () => {
  const name = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 20 })
    .filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(name, name, name, (folder, database, user) => {
      const target = { host: `/${folder}`, database, user };
      assert.deepEqual(parseDatabaseUrl(socketUrl(target)), { ...target, port: 5432, encryption: 'disable' });
    }),
  );
});

test('a faulty URL is refused without its password', () => {
  const faulty = [
    'mysql://ann:secret@db/homes',
    'postgres://ann:secret@db:99999/homes',
    'postgres://ann:secret@db/homes?sslmode=sometimes',
    'postgres://ann:secret@db/homes?colour=red',
    'postgres://ann:secret@one,/homes',
    'postgres://ann:secret@one,two,three/homes?port=5432,5433',
    'postgres://ann:secret@one/homes?target_session_attrs=standby',
    'postgres://ann:secret%@db/homes',
    'postgres://:secret@db/homes',
  ];
  for (const url of faulty) {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: Error) => error.message.includes('DATABASE_URL') && !error.message.includes('secret'),
      url,
    );
  }
});
