// Tests of the headers of the pages with forms.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { pageHeaders, pageReply, renderFormPage } from './form-page.ts';

test('CP3: the policy allows the one stylesheet, pictures of this service, no script and no frame, and does not hinder the redirect after a form', () => {
  const [, style = ''] =
    /<style>(.*?)<\/style>/s.exec(
      renderFormPage({ path: '/a', section: null, title: 'A page', content: null }),
    ) ?? [];
  assert.ok(style.length > 1000);
  assert.equal(
    pageHeaders()['content-security-policy'],
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
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
