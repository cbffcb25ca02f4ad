// Tests of how long a fetched document is believed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentLifetime } from './document-lifetime.ts';

const NOW = Date.UTC(2026, 0, 5, 12);
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

const CASES: readonly (readonly [headers: Record<string, string | string[]>, milliseconds: number])[] = [
  [{}, 10 * MINUTE],
  [{ 'cache-control': 'public' }, 10 * MINUTE],
  [{ 'cache-control': 'max-age=7200' }, 2 * HOUR],
  [{ 'cache-control': 'public, Max-Age="7200", must-revalidate' }, 2 * HOUR],
  [{ 'cache-control': 'max-age=60, s-maxage=7200' }, 2 * HOUR],
  [{ 'cache-control': ['public', 'max-age=7200'] }, 2 * HOUR],
  [{ 'cache-control': 'max-age=7200', age: '3600' }, HOUR],
  [{ 'cache-control': 'max-age=7200', age: 'old' }, 2 * HOUR],
  [{ 'cache-control': 'max-age=0' }, MINUTE],
  [{ 'cache-control': 'max-age=59' }, MINUTE],
  [{ 'cache-control': 'max-age=60', age: '9999' }, MINUTE],
  [{ 'cache-control': 'max-age=99999999999999999999' }, DAY],
  [{ 'cache-control': 'no-store, max-age=7200' }, MINUTE],
  [{ 'cache-control': 'no-cache="x"' }, MINUTE],
  [{ 'cache-control': 'private' }, MINUTE],
  [{ expires: 'Mon, 05 Jan 2026 14:00:00 GMT' }, 2 * HOUR],
  [{ expires: 'Mon, 05 Jan 2026 14:00:00 GMT', 'cache-control': 'max-age=3600' }, HOUR],
  [{ expires: '0' }, MINUTE],
  [{ expires: 'never' }, MINUTE],
  [{ expires: 'Mon, 05 Jan 2099 14:00:00 GMT' }, DAY],
];

for (const [headers, milliseconds] of CASES) {
  test(`${JSON.stringify(headers)} is ${milliseconds / MINUTE} minutes`, () => {
    assert.equal(documentLifetime(headers, NOW), milliseconds);
  });
}
