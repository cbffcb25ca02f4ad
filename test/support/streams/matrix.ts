// Stream under one upstream fault and one way of reading, and the list of what it did wrong.

import { backgroundAtRest } from '../check/background.ts';
import { until } from '../check/until.ts';
import { BEHAVIOURS, type Behaviour, type Received, receivedFrom, request } from './clients.ts';
import { heal, UPSTREAM_FAULTS, type UpstreamFault } from './faults.ts';
import type { StreamService } from './service.ts';

/** Milliseconds after which a connection that does not come about is given up. */
const CONNECTING = 2_000;

export interface Outcome {
  readonly violations: readonly string[];
  /** Seconds of the service's clock from the request to the end. */
  readonly seconds: number;
}

export interface MatrixResult {
  readonly runs: number;
  readonly violations: readonly string[];
  readonly longest: number;
}

/** Every fault with every behaviour. */
export async function runMatrix(
  service: StreamService,
  faults: readonly UpstreamFault[] = UPSTREAM_FAULTS,
): Promise<MatrixResult> {
  const violations: string[] = [];
  let longest = 0;
  for (const fault of faults) {
    for (const behaviour of BEHAVIOURS) {
      const outcome = await runCell(service, fault, behaviour);
      longest = Math.max(longest, outcome.seconds);
      violations.push(...outcome.violations.map((what) => `${fault.name} / ${behaviour.name}: ${what}`));
    }
  }
  await heal(service);
  return { runs: faults.length * BEHAVIOURS.length, violations, longest };
}

/** Runs one stream to its end. Time passes only where the fault needs it to. */
async function runCell(service: StreamService, fault: UpstreamFault, behaviour: Behaviour): Promise<Outcome> {
  const { clock, upstream, connection } = service;
  await heal(service);
  await fault.prepare(service);
  await backgroundAtRest(service);
  const waiting = clock.waiting;
  const from = clock.monotonic();
  const before = { requests: upstream.listingRequests.length, lookups: connection.lookups };
  const isRequested = () =>
    upstream.listingRequests.length > before.requests ||
    (fault.calls === 0 && connection.lookups > before.lookups);
  const reached = fault.name === 'slow connect' ? () => connection.lookups > before.lookups : isRequested;
  const reader = await request(service.url, `/v1/listing/${service.id('a')}`, service.keys.internal);
  const acting = behaviour.act(reader, { isReached: reached, idle: () => service.idle() });
  let over = false;
  const ended = Promise.all([acting, reader.closed]).then(() => {
    over = true;
  });
  if (fault.after > 0) {
    await until('the source is reached or the stream is over', () => over || reached());
    if (!over) clock.advance(fault.after);
  }
  await ended;
  await service.idle();
  await until('no fetch is under way', () => connection.open === 0);
  const seconds = (clock.monotonic() - from) / 1000;
  const received = receivedFrom(reader.text());
  const violations = grammarViolations(received, fault.outcome, behaviour.stays);
  const calls = upstream.listingRequests.length - before.requests;
  if (behaviour.stays ? calls !== fault.calls : calls > fault.calls)
    violations.push(`${calls} calls of the upstream`);
  if (seconds > 10) violations.push(`closed after ${seconds} s`);
  if (!(await settles(service, waiting))) violations.push(`${clock.waiting - waiting} timers left`);
  return { violations, seconds };
}

/** What is wrong with a stream whose live part should have had this outcome. */
export function grammarViolations(
  { status, names, code, complete }: Received,
  outcome: string,
  whole: boolean,
): string[] {
  const second = outcome === 'live' ? 'live' : 'error';
  const expected = ['cached', second, 'done'];
  const violations: string[] = [];
  if (names.some((name, at) => name !== expected[at])) violations.push(`events ${names}`);
  if (whole && (status !== 200 || names.length !== 3 || !complete))
    violations.push(`status ${status}, events ${names}, ${complete ? 'ended' : 'cut'}`);
  if (complete && names.length !== 3) violations.push(`ended as if whole after ${names}`);
  if (code !== null && code !== outcome) violations.push(`code ${code} instead of ${outcome}`);
  return violations;
}

/** Whether timers come back to their number: the copy of one who left is still stored, a connection given up later. */
async function settles({ clock, idle }: StreamService, waiting: number): Promise<boolean> {
  for (let turn = 0; turn < 200 && clock.waiting > waiting; turn++) {
    await idle();
    if (turn === 100) clock.advance(CONNECTING);
  }
  return clock.waiting <= waiting;
}
