// Waits for what other parts or processes do: one that outlasts its timeout fails, and says what it waited for.

import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Milliseconds: only for what never comes. On a busy machine a process may take a minute to start. */
const TIMEOUT = 120_000;
/** Most waits end within a few turns of the event loop; longer ones must not take the processor from what they wait for. */
const TURNS = 50;
/** Milliseconds between two looks: a part of what was waited already, so that a long wait is found over late by as much. */
const [SHORTEST, LONGEST, PART] = [10, 50, 0.02];

/** Looks until `look` gives a value, and gives that; throws once it has given undefined for `timeout` milliseconds. */
export async function poll<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  timeout = TIMEOUT,
): Promise<T> {
  const begun = performance.now();
  for (let turn = 0; ; turn += 1) {
    const value = await look();
    if (value !== undefined) return value;
    const waited = performance.now() - begun;
    if (waited >= timeout) throw new Error(`Waited ${timeout} ms in vain: ${what}`);
    await (turn < TURNS ? nextTurn() : pause(Math.min(LONGEST, Math.max(SHORTEST, waited * PART))));
  }
}

/** Waits until the condition holds; throws when it does not within `timeout` milliseconds. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeout = TIMEOUT,
): Promise<void> {
  await poll(what, async () => (await condition()) || undefined, timeout);
}
