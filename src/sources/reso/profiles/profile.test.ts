// Proves that profiles are read whole, that operators override any member, and that faults name the member.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ProfileError, profileNames, readProfile, STANDARD } from './profile.ts';

/** What a profile cannot know: the operator's own. */
const OWN = { originatingSystem: 'example' };

const faultsOf = (name: string, overrides: object): readonly string[] => {
  try {
    readProfile(name, overrides);
  } catch (error) {
    if (error instanceof ProfileError) return error.faults;
    throw error;
  }
  return [];
};

test('every profile is valid with what only its operator knows', () => {
  assert.ok(profileNames().includes(STANDARD));
  assert.ok(profileNames().length >= 5);
  for (const name of profileNames()) assert.equal(readProfile(name, OWN).name, name);
});

test('an override counts member by member, a list as a whole', () => {
  const profile = readProfile(STANDARD, {
    page: { size: 7 },
    limits: { windows: [{ seconds: 60, requests: 5 }] },
    live: { forms: ['key'] },
  });
  assert.deepEqual(profile.page, { by: 'prefer', size: 7, expandedSize: null });
  assert.deepEqual(profile.limits.windows, [{ seconds: 60, requests: 5 }]);
  assert.deepEqual(profile.live, { root: null, forms: ['key'] });
  assert.equal(readProfile(STANDARD, { live: false }).live, false);
});

test('a fault names its member, and what was meant', () => {
  const faults: readonly (readonly [object, string])[] = [
    [{ pages: {} }, 'pages is not known; did you mean page?'],
    [{ page: { size: 'x' } }, 'page.size: must be integer'],
    [{ page: { by: 'skip' } }, 'page.by: must be prefer or top'],
    [{ query: { selct: true } }, 'query.selct is not known; did you mean select?'],
    [{ limits: { windows: [{ seconds: 1 }] } }, 'limits: each window needs requests, bytes, or both'],
    [{ query: { orderBy: false } }, 'changes.order: requested needs query.orderBy to be true'],
    [{ query: { expand: false } }, 'media.from: expand needs query.expand to be true'],
  ];
  for (const [overrides, fault] of faults) assert.ok(faultsOf(STANDARD, overrides).includes(fault), fault);
  assert.deepEqual(faultsOf('standart', {}), ['profile standart is not known; did you mean standard?']);
});

test('all faults are reported at once', () => {
  assert.equal(faultsOf(STANDARD, { page: { size: 0, by: 'x' }, watermark: { overlap: -1 } }).length, 3);
});

test('code knows profiles, and no vendor', () => {
  const vendors =
    /\b(?:mls ?grid|mlg\w*|trestle|cotality|bridge ?(?:interactive|api)|bridgemod\w*|spark ?api)\b/i;
  const files = globSync('src/**/*.ts', { exclude: ['**/*.test.ts'] });
  assert.ok(files.length > 300);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => (vendors.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
  );
  assert.deepEqual(found, []);
});
