// Proves that pages cannot be broken by what is put into them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { html } from './html.ts';

test('whatever text is put into a page comes out as text, in elements and in attributes', () => {
  const decode = (text: string) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const inside = html`<p title="${text}">${text}</p>`.text;
      const [, attribute = '', element = ''] = /^<p title="([^"<>']*)">([^"<>']*)<\/p>$/.exec(inside) ?? [];
      assert.equal(decode(attribute), text);
      assert.equal(decode(element), text);
    }),
  );
  assert.equal(html`<p title="${'"&'}">${"<b>'"}</p>`.text, '<p title="&quot;&amp;">&lt;b&gt;&#39;</p>');
});

test('HTML goes in as it is, lists are joined, and nothing is nothing', () => {
  const items = ['a', '<'].map((item) => html`<li>${item}</li>`);
  assert.equal(html`<ul>${items}</ul>${null}${0}`.text, '<ul><li>a</li><li>&lt;</li></ul>0');
});
