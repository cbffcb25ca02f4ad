// Tests of the headers and the document that all pages share.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { PAGE_HEADERS, pageReply } from './document.ts';
import { renderGrantsKeyPage } from './grants-page.ts';
import { renderError, renderUnavailable } from './replies.ts';

test('CP3: the policy allows the one stylesheet, no script and no frame, and does not hinder the redirect after a form', () => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(renderUnavailable()) ?? [];
  assert.ok(style.length > 1000);
  assert.equal(
    PAGE_HEADERS['content-security-policy'],
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  );
});

test('CP4: pages are not framed, sniffed or stored, and keep their origin on the way to their own forms', () => {
  const { headers = {}, status } = pageReply(401, 'text');
  assert.equal(status, 401);
  assert.equal(headers['x-frame-options'], 'DENY');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['referrer-policy'], 'same-origin');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin-allow-popups');
});

const pages = {
  refusal: renderError({
    title: 'Not <known>',
    detail: 'See https://evil.example/?a=1&b',
    requestId: 'req_1',
  }),
  unavailable: renderUnavailable(),
  ask: renderGrantsKeyPage(null),
};

for (const [name, html] of Object.entries(pages)) {
  test(`the page "${name}" has a language, a title, one main part and one heading of first rank`, () => {
    assert.match(html, /^<!doctype html>\n<html lang="en">/);
    assert.match(html, /<title>[^<]+ · Freehold<\/title>/);
    for (const tag of ['main', 'h1', 'header'])
      assert.equal([...html.matchAll(new RegExp(`<${tag}>`, 'g'))].length, 1, tag);
  });
}

test('AZ1: a refusal links nowhere, and what it says is text', () => {
  assert.ok(!/<a\s|href=/.test(pages.refusal));
  assert.match(pages.refusal, /<h1>Not &lt;known&gt;<\/h1>/);
  assert.match(pages.refusal, /See https:\/\/evil\.example\/\?a=1&amp;b/);
  assert.match(pages.refusal, /<code>req_1<\/code>/);
});
