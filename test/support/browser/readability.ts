// Checks that a page makes of itself in a browser: whether everybody can read and use it. Their text is run there.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Contrast of every text with what lies behind it, by WCAG 2.2; gives those below 4.5. Runs in the page. */
export const FAINT = `(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour[3] !== 0) return colour;
    }
    throw new Error('no ground');
  };
  const holds = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (!holds(element)) continue;
    const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    found.push([ratio, element.textContent]);
  }
  if (found.length < 5) throw new Error('too few texts');
  return found.filter(([ratio]) => ratio < 4.5);
})()`;

/** Fields without a label, ids that are there twice, references that lead nowhere. Runs in the page. */
export const UNSOUND = `(() => {
  const fields = [...document.querySelectorAll('input:not([type=hidden]), select, textarea')];
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  const references = [...document.querySelectorAll('[aria-describedby], [aria-labelledby]')].flatMap((element) =>
    ['aria-describedby', 'aria-labelledby'].flatMap((name) => (element.getAttribute(name) ?? '').split(' ').filter(Boolean)));
  return [
    ...fields.filter((field) => field.labels.length !== 1).map(({ name }) => 'no label: ' + name),
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => 'twice: ' + id),
    ...references.filter((id) => !ids.includes(id)).map((id) => 'nowhere: ' + id),
    ...['main', 'header', 'h1', 'html[lang]'].filter((part) => document.querySelectorAll(part).length !== 1),
  ];
})()`;

/** Throws unless everybody can read and use the page: contrast, labels, references, width, and one thing to do first. */
export async function assertReadable(page: Page): Promise<void> {
  assert.deepEqual(await page.evaluate(FAINT), []);
  assert.deepEqual(await page.evaluate(UNSOUND), []);
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
  assert.ok((await page.locator('.primary').count()) <= 1, 'one primary action');
}
