// Streams on standard output: one listing from its source, and the events of watchers as they come.

import { type FeedOptions, feed, streamListing } from '../../../packages/client/src/streams.ts';
import type { Transport } from '../../../packages/client/src/transport.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { interruption } from '../interruption.ts';
import { emphasis, terminalWidth } from '../output.ts';
import { type Form, write } from './answers.ts';
import { columnsFor, type Row } from './columns.ts';
import { safeJson, safeLine } from './safe-text.ts';
import { createTable } from './table.ts';

const DEFAULT_WIDTH = 120;

/** The copy at once, then the listing as its source has it now. Throws CommandFailure where the source did not give it. */
export async function showStream(transport: Transport, id: string, form: Form): Promise<void> {
  const table = createTable<{ readonly type: string; readonly listing: Row }>(
    [
      { heading: 'EVENT', text: ({ type }) => type },
      ...columnsFor([{ object: 'listing' }], false).map((column) => ({
        ...column,
        text: ({ listing }: { readonly listing: Row }) => column.text(listing),
      })),
    ],
    terminalWidth(process.stdout) ?? DEFAULT_WIDTH,
  );
  let attribution = '';
  for await (const event of streamListing(transport, id)) {
    if (event.type === 'error') {
      const { code, message, retryable } = event.error;
      if (form !== 'table') await write(`${safeJson(JSON.stringify(event))}\n`);
      throw new CommandFailure(
        safeLine(
          `The source did not give the listing: ${message} (${code}).${retryable ? ' Try again later.' : ''}`,
        ),
      );
    }
    const row = { type: event.type, listing: event.listing as unknown as Row };
    const lines = form === 'table' ? table.lines([row]) : [safeJson(JSON.stringify(row))];
    await write(`${lines.join('\n')}\n`);
    attribution = event.listing.attribution;
  }
  // Sources ask that it stands with their listing.
  if (form === 'table' && attribution !== '') await write(`${emphasis('quiet', safeLine(attribution))}\n`);
}

/** Events until Ctrl-C, which ends with the cursor from which the same command goes on. */
export async function showEvents(
  transport: Transport,
  { after, watcherId }: Omit<FeedOptions, 'signal'>,
  form: Form,
): Promise<void> {
  let cursor = after;
  const { signal } = interruption('');
  const options = {
    signal,
    ...(after !== undefined && { after }),
    ...(watcherId !== undefined && { watcherId }),
  };
  try {
    for await (const { event, cursor: reached } of feed(transport, options)) {
      const row = event as unknown as Row;
      await write(form === 'table' ? `${eventLine(row)}\n` : `${safeJson(JSON.stringify(row))}\n`);
      cursor = reached;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure(
      cursor === undefined
        ? 'Stopped before the first event.'
        : `Stopped. Go on with --after ${safeLine(cursor)}`,
      EXIT.interrupted,
    );
  }
}

/** Events come one by one, so that there is no table to fit. */
function eventLine(event: Row): string {
  const [at, type, what] = columnsFor([event], false).map(({ text }) => safeLine(text(event)));
  return `${emphasis('quiet', at ?? '')}  ${emphasis('key', (type ?? '').padEnd(24))}  ${what ?? ''}`;
}
