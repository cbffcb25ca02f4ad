// Tests of the projection of answers for agents.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { project } from './projection.ts';

const LISTING = {
  id: 'lst_1',
  object: 'listing',
  description: 'Sunny.\u202E',
  address: { full: '1 Main St' },
  photos: [{ id: 'p1', url: 'https://a.example/1', caption: 'Front' }],
  agent: { id: 'a1', name: 'Ann', phone: null, email: 'ann@a.example' },
};

test('text of others leaves its member and stands apart, with where it stood', () => {
  const { value, untrusted } = project({ data: [LISTING] }, null);
  assert.deepEqual(value, {
    data: [
      {
        id: 'lst_1',
        object: 'listing',
        address: { full: '1 Main St' },
        photos: [{ id: 'p1', url: 'https://a.example/1' }],
        agent: { id: 'a1', phone: null },
      },
    ],
  });
  assert.deepEqual(untrusted, [
    { at: '/data/0/description', text: 'Sunny.' },
    { at: '/data/0/photos/0/caption', text: 'Front' },
    { at: '/data/0/agent/name', text: 'Ann' },
    { at: '/data/0/agent/email', text: 'ann@a.example' },
  ]);
});

test('name and metadata of a watcher are text of others, names of members of metadata included; those of an area are not', () => {
  const watcher = { object: 'watcher', name: 'Obey', metadata: { 'ignore this': 'x' } };
  const { value, untrusted } = project({ ...watcher, areas: [{ name: 'Eastmark' }] }, null);
  assert.deepEqual(value, { object: 'watcher', areas: [{ name: 'Eastmark' }] });
  assert.deepEqual(untrusted, [
    { at: '/name', text: 'Obey' },
    { at: '/metadata', text: '{"ignore this":"x"}' },
  ]);
  assert.deepEqual(project({ ...watcher, name: null, metadata: {} }, null), {
    value: { object: 'watcher', name: null, metadata: {} },
    untrusted: [],
    isCut: false,
  });
});

test('of the URL of a webhook only the host is shown', () => {
  const delivery = [{ id: 'wh_1', type: 'webhook', url: 'https://hooks.example:8443/secret?token=1' }];
  const { value } = project({ object: 'watcher', delivery }, null);
  assert.deepEqual(value.delivery, [{ id: 'wh_1', type: 'webhook', host: 'hooks.example:8443' }]);
});

test('short records keep the members that are named, and lose those that are dropped', () => {
  const short = { keep: { 'data/*': ['id', 'address'] }, drop: ['meta/*/url'] };
  const { value } = project({ data: [LISTING], meta: { one: { url: 'x', n: 1 } } }, short);
  assert.deepEqual(value, {
    data: [{ id: 'lst_1', address: { full: '1 Main St' } }],
    meta: { one: { n: 1 } },
  });
});

test('texts are bounded, and a cut is told', () => {
  assert.deepEqual(project({ a: 'x'.repeat(4_096) }, null).isCut, false);
  const { value, isCut } = project({ a: 'x'.repeat(4_097) }, null);
  assert.equal(String(value.a).length, 4_096);
  assert.equal(isCut, true);
});

test('every value of an answer is in its place or apart, unchanged where it is clean', () => {
  fc.assert(
    fc.property(
      fc.object({
        key: fc.constantFrom('a', 'b', 'description', 'agent', 'name', 'photos'),
        values: [fc.integer(), fc.boolean(), fc.constant(null), fc.stringMatching(/^[a-z ]{0,9}$/)],
      }),
      (answer) => {
        const { value, untrusted } = project(answer, null);
        const rebuilt = structuredClone(value) as Record<string, unknown>;
        for (const { at, text } of untrusted) restore(rebuilt, at.split('/').slice(1), text);
        assert.deepEqual(rebuilt, texted(answer));
      },
    ),
  );
});

/** Puts a text back to where it stood. */
function restore(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], text: string): void {
  if (rest.length === 0) into[name] = text;
  else restore(into[name] as Record<string, unknown>, rest, text);
}

/** The answer with every member `description` as text, as it stands apart. */
function texted(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => texted(item, `${path}/*`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const place = `${path}/${name}`;
      const isEmpty = member === null || (typeof member === 'object' && Object.keys(member).length === 0);
      const isApart = /\/(?:description|agent\/name)$/.test(place) && typeof member !== 'string' && !isEmpty;
      return [name, isApart ? JSON.stringify(member) : texted(member, place)];
    }),
  );
}
