// Command `freehold billing sync`: fetches every subscription from the payment service now.

import type { Command } from 'commander';
import { listReferences } from '../../billing/status-store.ts';
import { type SyncProgress, syncSubscriptions } from '../../billing/sync.ts';
import { systemClock } from '../../lib/clock.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, print, printJson, terminalWidth } from '../output.ts';
import { duration } from '../progress-line.ts';
import { type CommandPayments, withPaymentService } from './payments.ts';

export function addSync(group: Command): void {
  group
    .command('sync')
    .summary('ask about everything now')
    .description(
      'Asks the payment service about every subscription now, and lets a running service know of changes: after an outage of\n' +
        'webhooks, or when you cannot wait ten minutes. It uses at most half of the calls that the payment service allows.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold billing sync', 'freehold billing sync --json'))
    .action(async ({ json }: { json?: true }) => {
      const startedAt = systemClock.monotonic();
      const progress = progressLine(startedAt);
      const renewed = await withPaymentService((payments) => sync(payments, progress.show)).finally(
        progress.end,
      );
      const seconds = (systemClock.monotonic() - startedAt) / 1_000;
      if (json) return printJson({ renewed, seconds: Math.round(seconds * 10) / 10 });
      print(process.stdout, `${count(renewed)} renewed in ${duration(seconds)}`);
    });
}

async function sync(
  { database, provider, service, mirror }: CommandPayments,
  onProgress: (progress: SyncProgress) => void,
): Promise<number> {
  const references = await database.read((sql) => listReferences(sql, provider));
  const request = await mirror.number();
  return syncSubscriptions({
    service,
    references,
    onProgress,
    signal: new AbortController().signal,
    save: (page) => mirror.save(page, request, { notifiesNew: true }),
    renew: (reference) => mirror.renew(reference),
  });
}

/** Milliseconds between two lines. */
const TERMINAL_INTERVAL = 200;
const PLAIN_INTERVAL = 5_000;

/** One line that is rewritten on a terminal, plain lines elsewhere. */
function progressLine(startedAt: number) {
  const stream = process.stderr;
  const width = terminalWidth(stream);
  let last = width === undefined ? startedAt : Number.NEGATIVE_INFINITY;
  return {
    show(progress: SyncProgress): void {
      const now = systemClock.monotonic();
      if (now - last < (width === undefined ? PLAIN_INTERVAL : TERMINAL_INTERVAL)) return;
      last = now;
      const text = progressText(progress, (now - startedAt) / 1_000);
      if (width === undefined) print(stream, text);
      else stream.write(`\r\x1b[K${text.slice(0, width - 1)}`);
    },
    end(): void {
      if (width !== undefined) stream.write('\r\x1b[K');
    },
  };
}

/** `3,400 renewed  160/s  8 s left`. */
export function progressText({ done, known }: SyncProgress, seconds: number): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 && known > done ? [`${duration((known - done) / rate)} left`] : [];
  return [`${count(done)} renewed`, `${count(Math.round(rate))}/s`, ...left].join('  ');
}
