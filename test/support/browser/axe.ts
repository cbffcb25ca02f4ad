// Rules of accessibility that a page breaks, as axe finds them in the browser.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: readonly unknown[] }[];
  }[];
}

/** `page`: or a frame of one. Each broken rule with the first elements that break it; empty where none is broken. */
export async function axeFaults(page: Pick<Page, 'evaluate'>): Promise<readonly string[]> {
  await page.evaluate(source);
  const results = (await page.evaluate('axe.run()')) as Results;
  return results.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map(({ target }) => target.join(' '))
        .join(', ')}`,
  );
}
