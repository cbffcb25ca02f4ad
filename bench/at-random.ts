// Requests at random moments, a few a second, each timed from when it was due: whatever the server does, the next one is sent.

import { setTimeout as sleep } from 'node:timers/promises';
import { random } from './market.ts';

export interface Question {
  readonly path: string;
  /** Absent: a GET. */
  readonly body?: object;
}

/** Milliseconds of each request. Throws where one is not answered by 200. */
export async function askAtRandom(
  url: string,
  questions: readonly Question[],
  headers: Readonly<Record<string, string>>,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<number[]> {
  const took: number[] = [];
  const open: Promise<void>[] = [];
  const next = random(11);
  const end = performance.now() + seconds * 1_000;
  for (let due = performance.now(), at = 0; due < end; due += (-Math.log(1 - next()) / rate) * 1_000, at++) {
    await sleep(Math.max(0, due - performance.now()));
    const question = questions[at % questions.length];
    if (question === undefined) break;
    const sent = performance.now();
    open.push(
      timed(url, question, headers).then((answer) => {
        if (answer.status !== 200) throw new Error(`${question.path} answered ${answer.status}`);
        took.push(answer.took + sent - due);
      }),
    );
  }
  await Promise.all(open);
  return took;
}

/** Asks one question: its status, and milliseconds to the last byte. */
export async function timed(
  url: string,
  { path, body }: Question,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly took: number }> {
  const begun = performance.now();
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, {
    ...post,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  });
  await answer.arrayBuffer();
  return { status: answer.status, took: performance.now() - begun };
}
