// Command `freehold sources remap`: maps what a source sent again, without a request to it.

import type { Command } from 'commander';
import { mappingOf } from '../../app/upstream.ts';
import { type Config, readConfig } from '../../config.ts';
import { createCatalogue } from '../../ingest/listing-writer.ts';
import { pause, systemClock } from '../../lib/clock.ts';
import { createOutbound } from '../../lib/outbound.ts';
import type { Database } from '../../postgres/client/database.ts';
import { progress } from '../../sources/metrics.ts';
import { takeReaderLease } from '../../sources/reader-lease.ts';
import { findResoSources } from '../../sources/registry/registry-store.ts';
import { profileOf } from '../../sources/registry/reso-settings.ts';
import { remap as mapRecords } from '../../sources/remap/remap.ts';
import { findRemap, type Remap, requestRemap } from '../../sources/remap/remap-store.ts';
import { resoSource } from '../../sources/reso/transport/client.ts';
import type { Source } from '../../sources/source.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { interruption } from '../interruption.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, print, printJson } from '../output.ts';
import { duration, progressLine } from '../progress-line.ts';
import { notSetUp } from './reading.ts';

/** Milliseconds between two looks at what the process that reads the source does. */
const LOOK_INTERVAL = 1_000;

export function addRemap(group: Command): void {
  group
    .command('remap <id>')
    .summary('map again what a source sent')
    .description(
      'Maps the records that are kept of a source again, as it is set up now, without a request to it: its listings are then those\n' +
        'that a first load would bring. Listings that stay as they were make no event. The process that reads the source does it\n' +
        'with its next round; where none does, this command. After an interruption the same command goes on where it stopped.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold sources remap abor'))
    .action((id: string, { json }: { readonly json?: true }) => remap(id, json));
}

async function remap(id: string, json: true | undefined): Promise<void> {
  const config = readConfig();
  const { signal } = interruption('Stopping after the current page; press Ctrl-C again to stop at once.');
  const ended = await withDatabase(config, (database) => follow(database, id, config, signal));
  if (ended === null) {
    print(
      process.stderr,
      'Stopped. The same command, or the service that reads the source, goes on from here.',
    );
    process.exitCode = EXIT.interrupted;
    return;
  }
  const { mapped, changed } = ended;
  if (json) printJson({ id, mapped, changed });
  else
    print(
      process.stdout,
      `${count(mapped)} records of ${id} are mapped again: ${count(changed)} listings changed`,
    );
}

/** Requests the remap, and does it unless another process reads the source; null: it was stopped. */
async function follow(
  database: Database,
  id: string,
  config: Config,
  signal: AbortSignal,
): Promise<Remap | null> {
  const source = await offlineSource(database, id, config);
  const line = progressLine(
    systemClock,
    ({ text }: { readonly part: number; readonly text: string }) => text,
  );
  try {
    await database.write((sql) => requestRemap(sql, id, new Date(systemClock.now())));
    const startedAt = systemClock.monotonic();
    let first: number | null = null;
    const onProgress = ({ mapped, total }: Remap): void => {
      first ??= mapped;
      const { perSecond, secondsLeft } = progress(
        mapped,
        mapped - first,
        systemClock.monotonic() - startedAt,
        total,
      );
      const left = secondsLeft === null ? '' : `, ${duration(secondsLeft)} left`;
      const text = `${count(mapped)} of ${count(total)} records, ${count(perSecond)} a second${left}`;
      line.show({ part: total === 0 ? 1 : mapped / total, text });
    };
    while (!signal.aborted) {
      const state = await step(database, source, signal, onProgress);
      onProgress(state);
      if (state.finishedAt !== null) return state;
      await pause(systemClock, LOOK_INTERVAL, signal);
    }
    return null;
  } finally {
    line.end();
    await source.close();
  }
}

/** Maps as much as this process may, and returns how far it is. */
async function step(
  database: Database,
  source: Source,
  signal: AbortSignal,
  onProgress: (state: Remap) => void,
): Promise<Remap> {
  const lease = await takeReaderLease(database, source.id);
  if (lease !== null)
    try {
      const state = await mapRecords({
        source,
        catalogue: createCatalogue(database),
        database,
        clock: systemClock,
        hold: lease.hold,
        isStopped: () => signal.aborted,
        onProgress,
      });
      if (state !== null) return state;
    } finally {
      await lease.release();
    }
  const state = await database.read((sql) => findRemap(sql, source.id));
  if (state === null) throw new CommandFailure(`The source ${source.id} was removed meanwhile.`);
  return state;
}

/** The source as it is set up, for its mapping alone: it sends nothing, so that it needs no credentials. Throws CommandFailure. */
async function offlineSource(database: Database, id: string, config: Config): Promise<Source> {
  const common = {
    id,
    clock: systemClock,
    outbound: createOutbound({ clock: systemClock }),
    credentials: { kind: 'bearer', token: '' } as const,
  };
  const own = config.source;
  let source: Source;
  if (id === 'reso' && own.kind === 'reso') source = resoSource({ ...own, ...common, name: 'RESO Web API' });
  else {
    const registered = (await database.read(findResoSources)).find((each) => each.id === id);
    if (registered === undefined) throw await notSetUp(database, id);
    const { name, settings } = registered;
    source = resoSource({
      ...common,
      ...mappingOf(settings),
      name,
      url: settings.url,
      profile: profileOf(settings),
    });
  }
  if (source.map !== undefined) return source;
  await source.close();
  throw new CommandFailure(
    `Nothing is kept of what ${id} sends, since its member raw is none: it can only be read again.`,
    EXIT.usage,
  );
}
