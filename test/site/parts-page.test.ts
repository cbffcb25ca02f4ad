// Every part of the pages in all its states, on one page that nothing links to: no fault of accessibility in either theme, and no
// wider than the screen.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { siteFooter } from '../../src/page/footer.ts';
import { siteHeader } from '../../src/page/header.ts';
import { type Html, html } from '../../src/page/html.ts';
import { icon } from '../../src/page/icons.ts';
import { renderLayout } from '../../src/page/layout.ts';
import { PARTS_STYLE } from '../../src/page/parts-style.ts';
import { FRAME_STYLE } from '../../src/page/style.ts';
import { axeFaults } from '../support/browser/axe.ts';
import { noBrowser as skip, startBrowser } from '../support/browser/chromium.ts';

const panel = (title: string, content: Html): Html =>
  html`<section class="panel"><header><h3>${title}</h3></header>${content}</section>`;

const CONTROLS = html`<p class="buttons"><button class="btn primary">Show 86 homes</button><button class="btn">All filters</button>
<button class="btn small">Small</button><button class="btn" disabled>${icon('lock')}Stream</button><button class="btn bare">Any price</button></p>
<div class="seg" role="group" aria-label="Choice"><a href="#a" aria-current="true">Buy</a><a href="#b">Rent</a></div>
<ul class="chips"><li><a class="chip on" href="#c">3+ beds ${icon('close')}</a></li><li><a class="chip open" href="#d">Price</a></li>
<li><a class="chip offer" href="#e">Price drop <span class="count">53</span></a></li><li><a class="chip offer" href="#f">On the water <span class="count">0</span></a></li></ul>
<p><span class="tag sale">For sale</span> <span class="tag rental">To rent</span> <span class="tag new">New · 38 min</span>
<span class="tag pending">Under contract</span> <span class="tag sold">Sold</span> <span class="tag withdrawn">Withdrawn</span>
<span class="token">Port Calder</span> <span class="price">$865,000 <small>a month</small></span> <span class="drop">-2 %</span> <span class="rise">+2 %</span></p>`;

const PANELS = html`${panel('Loading', html`<ul class="rows"><li class="row loading"><b></b><div><i></i><i></i></div></li></ul>`)}
${panel(
  'Rows',
  html`<ul class="rows"><li class="row"><span class="no-photo"></span><div><p class="first"><a class="whole price" href="#g">$440,000</a></p><p class="meta">Confirmed</p></div></li>
<li class="row lit"><span class="no-photo"></span><div><p>Lit <span class="quiet">quiet</span></p><p class="meta">Confirmed</p></div></li></ul>`,
)}
${panel('Locked', html`<div class="middle">${icon('lock')}<h3>Live reading needs Pro</h3><p>Stored at 00:52.</p><p class="buttons"><a class="btn" href="#h">Sign in</a></p></div><footer>A limit</footer>`)}
<ul class="cards"><li class="card"><p class="tag sale">For sale</p><p class="price">$1</p><p class="address"><a href="#i">12 Elm Street</a></p></li></ul>
<div class="sheet"><span class="handle"></span>A sheet</div>`;

const NOTICES = html`${['', ' warning', ' error'].map(
  (kind) =>
    html`<div class="notice${kind}"><span class="dot${kind}"></span><strong>What happened</strong><p>What happens next.</p><div class="buttons"><button class="btn">Try now</button></div></div>`,
)}
<div class="field"><label for="at-most">At most</label><input id="at-most" value="$900,000"><p class="hint">109 homes</p></div>
<div class="field"><label for="at-least">At least</label><input id="at-least" aria-invalid="true" value="$1,200,000"><p class="hint">Give less.</p></div>
<div class="code-box"><header><span>As a request</span><button class="btn bare small">Copied</button></header><pre><code><span class="line">curl <span class="string">"https"</span> <span class="key">a</span>=<span class="number">3</span> <span class="comment"># c</span></span></code></pre><footer>Costs one.</footer></div>
<table class="data"><thead><tr><th scope="col" aria-sort="ascending"><a href="#j">Place</a></th><th scope="col" class="number">Homes</th></tr></thead><tbody><tr><th scope="row">Port Calder</th><td class="number">475</td></tr><tr><th scope="row">Elm</th><td class="number">4</td></tr></tbody></table>`;

const PAGE = renderLayout({
  title: 'Parts',
  style: FRAME_STYLE + PARTS_STYLE,
  header: siteHeader({
    root: '',
    current: 'docs',
    search: { place: 'Port Calder', query: '' },
    freshness: { confirmedAt: '2026-03-01T12:00:00Z', now: Date.parse('2026-03-01T12:00:14Z') },
  }),
  content: html`<h1>Parts and their states</h1><h2>Controls</h2>${CONTROLS}<h2>Panels</h2>${PANELS}<h2>Notices</h2>${NOTICES}`,
  footer: siteFooter({ root: '', state: 'away', confirmedAt: null, version: '1.2.3' }),
});

const browser = skip === false ? await startBrowser({ after }) : null;

for (const colorScheme of ['light', 'dark'] as const)
  test(`all parts in all states have no fault of accessibility and fit the screen, ${colorScheme}`, {
    skip,
  }, async () => {
    assert.ok(browser !== null);
    for (const width of [320, 390, 1280]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      await page.setContent(PAGE);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${overflow} px wider than ${width} px`);
      if (width !== 320) assert.deepEqual(await axeFaults(page), [], `${width} px`);
      await context.close();
    }
  });

test('what is pointed at, focused, or cannot be used looks different from what is not', {
  skip,
}, async () => {
  assert.ok(browser !== null);
  const page = await browser.newPage();
  await page.setContent(PAGE);
  const styleOf = (selector: string): Promise<string> =>
    page.evaluate(
      `(({ backgroundColor, borderStyle, outlineStyle }) => [backgroundColor, borderStyle, outlineStyle].join(' '))(getComputedStyle(document.querySelector(${JSON.stringify(selector)})))`,
    );
  for (const selector of [
    '.btn:not(.primary,.small)',
    '.btn.primary',
    '.chip.offer',
    '.seg a:not([aria-current])',
  ]) {
    const still = await styleOf(selector);
    await page.locator(selector).first().hover();
    assert.notEqual(await styleOf(selector), still, `${selector} under the pointer`);
    await page.mouse.move(0, 0);
  }
  assert.match(await styleOf('.btn:disabled'), /dashed/);
  await page.keyboard.press('Tab');
  assert.match(String(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')), /solid/);
  await page.close();
});
