// Client of the sample market: one of its own for a test file, its pages, walks over them, and its errors.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { startSample } from './process.ts';

export const sample = await startSample();
after(() => sample.stop());

export type Row = Record<string, unknown>;
export interface Page {
  readonly value: Row[];
  readonly '@odata.count'?: number;
  readonly '@odata.nextLink'?: string;
}

export async function page(path: string, headers?: Record<string, string>): Promise<Page> {
  const response = await sample.get(path, headers);
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return (await response.json()) as Page;
}

export const property = (options: Record<string, string>): string =>
  `/odata/Property?${new URLSearchParams(options)}`;

export async function walk(
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

export async function errorOf(response: Response): Promise<[number, unknown]> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  assert.equal(typeof error.message, 'string');
  return [response.status, error.code];
}
