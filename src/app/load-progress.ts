// Progress of the first load: one moving line for a person at a terminal, a record now and then in a log that is piped.

import type { Log } from '../lib/log.ts';
import type { Progress } from '../sources/metrics.ts';

/** Records of the log: one for each tenth of the way, or for each so many listings where the whole is unknown. */
const TENTHS = 10;
const LISTINGS = 10_000;

interface Terminals {
  readonly stdout: Pick<NodeJS.WriteStream, 'isTTY'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
}

/** To be told of each page that was loaded; says nothing more after the last one. */
export function loadProgress(log: Log, terminals: Terminals = process): (progress: Progress) => void {
  const { stdout, stderr } = terminals;
  let lastStep = -1;
  let complete = false;
  return (progress) => {
    if (complete) return;
    const { records, total } = progress;
    complete = total !== null && records >= total;
    const text = describe(progress, complete);
    if (stderr.isTTY) stderr.write(`\r\u001b[K${text}${complete ? '\n' : ''}`);
    if (stderr.isTTY && stdout.isTTY) return;
    const step = Math.floor(total === null ? records / LISTINGS : (records / Math.max(1, total)) * TENTHS);
    if (step > lastStep) log.info({ event: 'load', ...progress }, text);
    lastStep = step;
  };
}

function describe({ records, total, perSecond, secondsLeft }: Progress, complete: boolean): string {
  const count = (value: number): string => value.toLocaleString('en-US');
  const of = total === null ? '' : ` of ${count(total)}`;
  const left = complete || secondsLeft === null ? '' : `, ${secondsLeft} s left`;
  return `First load: ${count(records)}${of} listings, ${count(perSecond)}/s${left}`;
}
