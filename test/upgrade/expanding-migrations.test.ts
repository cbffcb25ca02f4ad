// Test of migrations: those since the last release let the processes of that release go on beside the next one.
//
// A migration only expands: tables, columns that have a default or may be null, indexes, functions under new names. What is no
// longer needed goes a release later, when nobody uses it any more.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { MIGRATIONS_FOLDER } from '../../src/postgres/migrations/migrate.ts';
import { readSource } from '../support/code/source-files.ts';
import { findContractions, tablesOf } from '../support/upgrade/contractions.ts';

/** The last release, with its last migration. A release changes this, and empties the list below. */
const LAST_RELEASE = { version: '0.2.0', migration: 43 };

/** Migrations that take away what the last release uses: with one of these, all nodes are stopped for the upgrade. */
const CONTRACTING: Readonly<Record<string, string>> = {
  '049_approximate_places.sql': 'search rows have a precision, which writers of 0.2.0 do not state',
  '053_lean_tables.sql': 'unused indexes and a key go',
  '067_licences.sql': 'rows of listings, areas and names are by licence, which writers of 0.2.0 do not state',
  '074_currencies_by_licence.sql': 'currencies are by licence',
};

/** Migrations that look as if they did, and do not. */
const HARMLESS: Readonly<Record<string, string>> = {
  '052_loads.sql': 'the rule is one of columns that it adds, which are null for others',
};

const files = readdirSync(MIGRATIONS_FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .toSorted();
const textOf = (name: string): string => readSource(`src/postgres/migrations/${name}`).text;
const isReleased = (name: string): boolean => Number(name.slice(0, 3)) <= LAST_RELEASE.migration;

test('migrations since the last release only expand, but for those that are listed', () => {
  const released = new Set(files.filter(isReleased).flatMap((name) => tablesOf(textOf(name))));
  assert.ok(released.size > 50, `${released.size} tables and functions`);
  const found = files
    .filter((name) => !isReleased(name))
    .map((name) => ({ name, contractions: findContractions(textOf(name), released) }))
    .filter(({ contractions }) => contractions.length > 0);
  const listed = Object.keys({ ...CONTRACTING, ...HARMLESS }).toSorted();
  assert.deepEqual(
    found.filter(({ name }) => !listed.includes(name)),
    [],
    'write it so that the last release can go on, or list it and say in the changelog that all nodes are stopped first',
  );
  assert.deepEqual(
    found.map(({ name }) => name),
    listed,
  );
});

test('the last release is the newest that the changelog has', () => {
  const [, newest] = /^## \[(\d+\.\d+\.\d+)\]/m.exec(readSource('CHANGELOG.md').text) ?? [];
  assert.equal(newest, LAST_RELEASE.version);
});

test('operators are told where the next release cannot work beside the last one', () => {
  const [, unreleased = ''] =
    /^## \[Unreleased\]$([\s\S]*?)^## \[/m.exec(readSource('CHANGELOG.md').text) ?? [];
  const isTold = /stop all (?:processes|nodes)\b/i.test(unreleased);
  assert.equal(isTold, Object.keys(CONTRACTING).length > 0);
});

test('what takes something away is found, in whatever way it is written, and what expands is not', () => {
  const released = new Set(['home', 'view_of_homes', 'count_homes', 'kind']);
  const contracting = [
    'drop table home;',
    'alter table home drop column price;',
    'ALTER TABLE home\n  DROP price;',
    'alter table only home rename column price to amount;',
    'alter table home rename to house;',
    'alter table home add column price int not null;',
    'alter table home add column size int, add column price int not null check (price > 0);',
    'alter table home alter column price set not null;',
    'alter table home alter price type bigint;',
    'alter table home alter column price drop default;',
    'alter table home add constraint one unique (price);',
    'alter table home add primary key (price);',
    'alter table home add check (price > 0);',
    'create unique index home_price on home (price);',
    'drop function count_homes;',
    'drop view if exists view_of_homes;',
    'drop index home_price;',
    'create or replace function count_homes() returns int language sql as $$ select 1 $$;',
  ];
  for (const text of contracting) assert.equal(findContractions(text, released).length, 1, text);
  const expanding = [
    'create table house (price int not null, unique (price));',
    'alter table home add column price int;',
    'alter table home add column price int not null default 0;',
    "alter table home add column text text not null default 'a; drop table home';",
    '-- drop table home;\ncreate index home_price on home (price);',
    'create function drop_homes() returns void language sql as $$ drop table home; $$;',
    'create table house (price int); alter table house drop column price; create unique index u on house (price);',
    'create temporary table other on commit drop as select 1;',
    'comment on table home is $$drop table home;$$;',
  ];
  for (const text of expanding) assert.deepEqual(findContractions(text, released), [], text);
});
