// Client of a sample market: its pages, walks over them, and its errors.

import assert from 'node:assert/strict';
import type { SampleProcess } from './process.ts';

export type Row = Record<string, unknown>;
export interface Page {
  readonly value: Row[];
  readonly '@odata.count'?: number;
  readonly '@odata.nextLink'?: string;
}

export interface SampleClient {
  page(path: string, headers?: Record<string, string>): Promise<Page>;
  /** All rows, in pages of `size`; `between` is called after each page. */
  walk(options: Record<string, string>, size: number, between?: () => Promise<unknown>): Promise<Row[]>;
}

export function sampleClient(sample: SampleProcess): SampleClient {
  async function page(path: string, headers?: Record<string, string>): Promise<Page> {
    const response = await sample.get(path, headers);
    assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
    return (await response.json()) as Page;
  }
  async function walk(
    options: Record<string, string>,
    size: number,
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    let next: string | undefined = property(options);
    while (next !== undefined) {
      const answer: Page = await page(next, { Prefer: `odata.maxpagesize=${size}` });
      assert.ok(answer.value.length <= size);
      rows.push(...answer.value);
      next = answer['@odata.nextLink'];
      await between();
    }
    return rows;
  }
  return { page, walk };
}

export const property = (options: Record<string, string>): string =>
  `/odata/Property?${new URLSearchParams(options)}`;

export async function errorOf(response: Response): Promise<[number, unknown]> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  assert.equal(typeof error.message, 'string');
  return [response.status, error.code];
}
