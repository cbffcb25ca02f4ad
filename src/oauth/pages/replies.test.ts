// Tests of the pages of the authorization server: their document, and refusals that link nowhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderError, renderUnavailable } from './replies.ts';

const pages = {
  refusal: renderError({
    title: 'Not <known>',
    detail: 'See https://evil.example/?a=1&b',
    requestId: 'req_1',
  }),
  unavailable: renderUnavailable(),
};

for (const [name, html] of Object.entries(pages)) {
  test(`the page "${name}" has a language, a title, one main part and one heading of first rank`, () => {
    assert.match(html, /^<!doctype html>\n<html lang="en">/);
    assert.match(html, /<title>[^<]+ · Freehold<\/title>/);
    for (const tag of ['main', 'h1', 'header'])
      assert.equal([...html.matchAll(new RegExp(`<${tag}[ >]`, 'g'))].length, 1, tag);
  });
}

test('AZ1: what a refusal says is text and links nowhere; its header and footer lead to this service only', () => {
  const [before = '', main = '', after = ''] = pages.refusal.split(/<\/?main[^>]*>/);
  assert.ok(!/<a\s|href=/.test(main));
  const around = before.slice(before.indexOf('<body')) + after;
  for (const [, href = ''] of around.matchAll(/href="([^"]*)"/g))
    assert.match(href, /^#content$|^\.\.\/[a-z/]*(?:\?verbose)?$/);
  assert.match(pages.refusal, /<h1>Not &lt;known&gt;<\/h1>/);
  assert.match(pages.refusal, /See https:\/\/evil\.example\/\?a=1&amp;b/);
  assert.match(pages.refusal, /<code>req_1<\/code>/);
});
