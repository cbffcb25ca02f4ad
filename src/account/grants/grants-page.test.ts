// Tests of the page of connected apps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GrantView, renderGrantList, renderGrantsKeyPage } from './grants-page.ts';

const GRANT: GrantView = {
  id: 'grant-1',
  clientId: 'https://apps.example/client.json',
  clientName: '<b>Harbor</b>',
  scopes: ['listings:read'],
  tier: 'pro',
  createdAt: Date.UTC(2026, 10, 21, 19, 15),
  lastUsedAt: Date.UTC(2026, 10, 22),
};

const list = (grants: readonly GrantView[], notice: string | null = null) =>
  renderGrantList({ grants, proof: 'signed"proof', notice, isRemembered: true });

test('CP12: each grant is shown with its app, scopes, tier and dates, and can be ended by a button of its own', () => {
  const html = list([GRANT, { ...GRANT, id: 'grant-2', clientName: null, lastUsedAt: Date.UTC(2027, 0, 2) }]);
  assert.match(html, /<bdi>&lt;b&gt;Harbor&lt;\/b&gt;<\/bdi>/);
  assert.match(html, /<time datetime="2026-11-21T19:15:00\.000Z">21 November 2026 at 19:15 UTC<\/time>/);
  assert.match(html, /Last used<\/dt><dd><time datetime="2027-01-02">2 January 2027<\/time>/);
  assert.match(
    html,
    /<button class="btn" name="end" value="grant-1" aria-label="End access of &lt;b&gt;Harbor&lt;\/b&gt;">/,
  );
  assert.match(
    html,
    /<button class="btn" name="end" value="grant-2" aria-label="End access of https:\/\/apps\.example\/client\.json">/,
  );
  // Each ends one, and the last has the key forgotten.
  assert.equal([...html.matchAll(/name="proof" value="signed&quot;proof"/g)].length, 3);
  assert.equal([...html.matchAll(/Last used/g)].length, 2);
});

test('CP12: the list says what was just done, and that there is nothing where there is nothing', () => {
  assert.match(list([], 'Harbor no longer has access.'), /role="status">Harbor no longer has access\.<\/p>/);
  assert.match(list([]), /No app has access with this key\./);
  assert.match(list([GRANT]), /One app has access with this key\./);
});

test('CP12: the list is asked for with a key, in a form that works without script', () => {
  const html = renderGrantsKeyPage('stale');
  assert.match(html, /<form method="post" action="grants">/);
  assert.match(html, /<label for="api_key">API key<\/label>/);
  assert.match(html, /<strong>Time is up\.<\/strong>/);
  assert.match(html, /<title>Time is up: Connected apps/);
});

test('the page that asks for a key has a language, a title, one main part and one heading of first rank', () => {
  const html = renderGrantsKeyPage(null);
  assert.match(html, /^<!doctype html>\n<html lang="en">/);
  assert.match(html, /<title>Connected apps · Freehold<\/title>/);
  for (const tag of ['main', 'h1', 'header'])
    assert.equal([...html.matchAll(new RegExp(`<${tag}[ >]`, 'g'))].length, 1, tag);
});
