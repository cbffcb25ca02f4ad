// The page about watchers as a browser without scripts uses it: forms, and what their answers hold.

import { textOf } from '../browser/page-text.ts';
import type { TestService } from '../service/service.ts';

export interface AccountAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** What a reader sees. */
  readonly text: string;
  /** Replaces the key in the next form; empty where there is none. */
  readonly proof: string;
}

export const ACCOUNT = '/account/watchers';

/** Sends a form of the page; null: opens it. */
export async function sendAccount(
  { url }: Pick<TestService, 'url'>,
  fields: Readonly<Record<string, string>> | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<AccountAnswer> {
  const form = { method: 'POST', body: new URLSearchParams(fields ?? {}) };
  const answer = await fetch(`${url}${ACCOUNT}`, {
    ...(fields !== null && form),
    // As browsers say it of a form.
    headers: { ...(fields !== null && { origin: url }), ...headers },
    redirect: 'manual',
  });
  const html = await answer.text();
  const proof = fieldOf(html, 'proof');
  return { status: answer.status, headers: answer.headers, html, text: textOf(html), proof };
}

/** The value of the first field or button with this name; empty: there is none. */
export function fieldOf(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
}
