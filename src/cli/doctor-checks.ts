// Checks of `freehold doctor` on what the service works with: the database, the source, the tiers file. None of them throws.

import { readTiersFile } from '../access/tiers/tiers-file.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { createOutbound } from '../lib/outbound.ts';
import { hasCluster } from '../postgres/embedded/cluster-place.ts';
import { pendingMigrations } from '../postgres/migrations/migrate.ts';
import { resoSource } from '../sources/reso/transport/client.ts';
import { type OpenedDatabase, openCommandDatabase } from './database.ts';
import { countCatalogue } from './doctor-store.ts';
import { type Finding, fail, messageOf, ok, warn } from './finding.ts';
import { count } from './output.ts';

export async function checkTiersFile({ tiersFile }: Config): Promise<Finding[]> {
  if (tiersFile === null) return [];
  try {
    await readTiersFile(tiersFile);
    return [ok('tiers file', tiersFile)];
  } catch (error) {
    return [fail('tiers file', messageOf(error), 'Correct the file, or set TIERS_FILE.')];
  }
}

/** Reaches the database, if there is one yet, and looks at what it holds. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  if (config.databaseUrl === null && !(await hasCluster(config.dataDirectory))) {
    return [warn('database', 'there is none yet', 'The first `freehold serve` creates it.')];
  }
  let opened: OpenedDatabase | undefined;
  try {
    opened = await openCommandDatabase(config);
    const version = await opened.database.serverVersion();
    const served = config.databaseUrl === null ? (opened.own ? ', at rest' : ', in use') : '';
    const database = ok('database', `PostgreSQL ${version}, ${opened.place}${served}`);
    return [database, ...(await checkContents(opened))];
  } catch (error) {
    const remedy =
      config.databaseUrl === null ? 'Read server.log beside the database.' : 'Check DATABASE_URL.';
    return [fail('database', messageOf(error), remedy)];
  } finally {
    await opened?.close();
  }
}

async function checkContents({ database }: OpenedDatabase): Promise<Finding[]> {
  const pending = await pendingMigrations(database);
  if (pending.length > 0) {
    const [first, last] = [pending[0], pending.at(-1)];
    const names = pending.length === 1 ? `${first}` : `${first} to ${last}`;
    return [warn('migrations', `${pending.length} to run: ${names}`, 'freehold migrate')];
  }
  const { listings, active, areas, unfinished } = await database.read(countCatalogue);
  const found = `${count(listings)} listings (${count(active)} active), ${count(areas)} areas`;
  const catalogue =
    listings === 0
      ? warn('catalogue', found, '`freehold import --help`, or set SOURCE.')
      : ok('catalogue', found);
  const imports =
    unfinished === 0
      ? []
      : [warn('imports', `${unfinished} interrupted`, 'Run the same command again to continue.')];
  return [ok('migrations', 'up to date'), catalogue, ...imports];
}

export async function checkSource({ source }: Config): Promise<Finding> {
  if (source.kind === 'none') return ok('source', 'none: listings come from imports');
  if (source.kind === 'sample') return ok('source', 'the sample market, started with the service');
  const outbound = createOutbound({ clock: systemClock });
  const reso = resoSource({ id: 'reso', name: 'RESO Web API', clock: systemClock, outbound, ...source });
  try {
    await reso.check(new AbortController().signal); // It has a deadline of its own.
    return ok('source', `${source.url} answers`);
  } catch (error) {
    return fail('source', `${source.url}: ${messageOf(error)}`, 'Check RESO_BASE_URL and the credentials.');
  } finally {
    await reso.close();
  }
}
