// The market page where there is nothing to see, and where not everybody may look.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../support/service/service.ts';

test('a store without listings says so, and where to go', async (t) => {
  const empty = await startService(t);
  const text = await (await fetch(`${empty.url}/explore/market`)).text();
  assert.match(text, /No homes for sale in this time/);
  assert.match(text, /href="market\?for=rental"/);
});

test('where only people who signed in may look, the page and its figures are locked, and say what is needed', async (t) => {
  const locked = await startService(t, { environment: { EXPLORER: 'signed-in' } });
  const page = await fetch(`${locked.url}/explore/market`);
  assert.equal(page.status, 401);
  const text = await page.text();
  assert.match(text, /Sign in to see the market/);
  assert.doesNotMatch(text, /head-figures/);
  assert.equal((await fetch(`${locked.url}/explore/market/figures.csv?table=price`)).status, 401);
});
