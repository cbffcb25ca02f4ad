// Entry point of the sample: a small invented property market behind a RESO Web API, for trying Freehold without a feed.
import type { Server } from 'node:http';
import { FaultSwitch } from './faults.ts';
import { readJournal, writeJournal } from './journal-file.ts';
import { readLand } from './land/land.ts';
import { createSampleServer, ownUrl } from './server.ts';
import { readSettings, type Settings } from './settings.ts';
import { TokenDesk } from './token.ts';
import { Vendor } from './vendors/vendor.ts';
import { type Journal, World } from './world.ts';

const clock = (): number => Date.now();

function main(): void {
  let settings: Settings;
  try {
    settings = readSettings(process.argv.slice(2), process.env);
  } catch (error) {
    process.stderr.write(`sample: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return;
  }
  const world = openWorld(settings);
  const tokens = new TokenDesk(settings.credentials, settings.tokenLifetime, clock);
  const server = createSampleServer({
    world,
    tokens,
    faults: new FaultSwitch(),
    spelling: settings.spelling,
    photosUrl: settings.photosUrl,
    vendor:
      settings.vendor === null
        ? null
        : new Vendor({
            name: settings.vendor,
            world,
            tokens,
            bearerToken: settings.credentials.clientSecret,
            clock,
          }),
  });
  const life = keepMoving(world, settings.interval * 1000);
  // Before the ready line: whoever reads it may want the process to end at once.
  endWithParent(server, life.stop);
  server.listen(settings.port, '127.0.0.1', () => {
    const url = ownUrl(server);
    process.stdout.write(`${JSON.stringify({ ready: true, port: Number(new URL(url).port), url })}\n`);
    life.start();
  });
  server.on('error', (error) => {
    process.stderr.write(`sample: cannot listen on port ${settings.port} (${error.message})\n`);
    process.exit(1);
  });
}

/** The market of the state file when it has the same seed and size, otherwise a new one that begins now. */
function openWorld(settings: Settings): World {
  const { stateFile, seed, listings } = settings;
  const fresh: Journal = { version: 1, seed, epoch: clock(), size: listings, deeds: [] };
  const save = (journal: Journal): void => {
    if (stateFile !== null) writeJournal(stateFile, journal);
  };
  const world = new World(readLand(), rememberedJournal(settings) ?? fresh, clock, save);
  save(world.journal);
  return world;
}

function rememberedJournal({ stateFile, seed, listings }: Settings): Journal | null {
  if (stateFile === null) return null;
  try {
    const journal = readJournal(stateFile);
    if (!journal || (journal.seed === seed && journal.size === listings)) return journal;
    process.stderr.write(
      `sample: ${stateFile} is of another market (seed ${journal.seed}, ${journal.size} listings); starting again\n`,
    );
  } catch (error) {
    process.stderr.write(
      `sample: cannot use ${stateFile} (${error instanceof Error ? error.message : String(error)}); starting again\n`,
    );
  }
  return null;
}

/** Steps at even distances, so that a restart can repeat them to the millisecond; after a pause it begins again. */
function keepMoving(world: World, interval: number): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let planned = 0;
  const move = (): void => {
    if (Math.abs(clock() - planned) > interval / 2) planned = clock();
    world.stepAt(planned);
    planned += interval;
    timer = setTimeout(move, Math.max(0, planned - clock()));
  };
  return {
    start() {
      if (interval === 0) return;
      planned = clock() + interval;
      timer = setTimeout(move, interval);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Whoever started the process holds its standard input: when that closes, so does the sample. */
function endWithParent(server: Server, stop: () => void): void {
  const end = (): void => {
    stop();
    server.close();
    server.closeAllConnections();
    process.exit(0);
  };
  process.stdin.on('end', end).on('close', end).on('error', end).resume();
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

main();
