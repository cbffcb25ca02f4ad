// What each step of an import costs this process for a row, without driver and database.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Placement } from '../../src/areas/placement.ts';
import { openRecords } from '../../src/import/formats/open-file.ts';
import { parseMap } from '../../src/import/mapping/map.ts';
import { surveyFile } from '../../src/import/survey.ts';
import { listingMapper, mapRecords } from '../../src/import/target.ts';
import { draftEvidence, identifyHome, listingId } from '../../src/ingest/identity.ts';
import { writtenSnapshot } from '../../src/ingest/listing-change.ts';
import { PropertyAssignment } from '../../src/ingest/property-assignment.ts';
import { searchNames } from '../../src/ingest/rows/search-names.ts';
import { searchRow, textRow } from '../../src/ingest/rows/search-row.ts';
import { listingRow, planWrite } from '../../src/ingest/write-plan.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { recordText } from '../../src/listings/lean-record.ts';
import { type CopyValue, copyLine } from '../../src/postgres/client/copy-lines.ts';
import { buildTimeline } from '../../src/timeline/property-timeline.ts';
import { marketListing } from '../../src/timeline/update-timelines.ts';
import type { Row } from '../throughput.ts';
import { row } from './empty-testbed.ts';
import { writeLoadFile } from './file.ts';

const SOURCE = 'bench';
const ROUNDS = 6;

/** Microseconds of processor for a row, the least of some rounds. */
export async function stepsOfImport(rows: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'freehold-steps-'));
  try {
    const { file, map } = await writeLoadFile(folder, rows);
    const least = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, microseconds] of await measureSteps(file, map))
        least.set(name, Math.min(microseconds / rows, least.get(name) ?? Number.POSITIVE_INFINITY));
    const sum = [...least.values()].reduce((total, each) => total + each, 0);
    return [...least, ['All', sum] as const].map(([name, microseconds]) =>
      row(name, `${microseconds.toFixed(1)} µs of processor a row`),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Microseconds of each step over all rows. */
async function measureSteps(file: string, mapFile: string): Promise<Map<string, number>> {
  const steps = new Map<string, number>();
  const measure = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    steps.set(name, user + system);
    return result;
  };
  const now = Date.now();
  const map = parseMap(mapFile, await readFile(mapFile, 'utf8'));
  const opened = await openRecords(file, map.file, () => true);
  const survey = await measure('Survey', () => surveyFile({ file, map, mapFile }, opened));
  const drafts = await measure('Reading and mapping', async () => {
    const found: ListingDraft[] = [];
    for await (const mapped of mapRecords(opened.rows, listingMapper(map, survey)))
      if (mapped.reason === null) found.push(mapped.draft);
    return found;
  });
  opened.close();
  const homes = await measure(
    'Identities',
    () =>
      new Map(
        drafts.map((draft) => [
          listingId(SOURCE, draft.listingKey),
          identifyHome(draftEvidence(SOURCE, draft)),
        ]),
      ),
  );
  const areas = new Placement([]);
  const writes = await measure('Plan', () => {
    const properties = new PropertyAssignment(new Map(), new Map(), homes);
    return drafts.flatMap((draft) => planWrite(SOURCE, draft, null, areas, now, properties) ?? []);
  });
  const search = await measure('Search row and names', () =>
    writes.map((write) => {
      const snapshot = writtenSnapshot(write, now);
      const own = searchRow(snapshot);
      searchNames(snapshot, own);
      return { snapshot, own };
    }),
  );
  const listings = await measure('Record and row of the listing', () =>
    writes.map((write) => ({ ...listingRow(write, now), record: recordText(write.record) })),
  );
  const texts = await measure('Words', () => search.map(({ snapshot }) => textRow(snapshot).row));
  await measure('Lines of COPY', () => {
    for (const each of [...search.map(({ own }) => own), ...listings, ...texts])
      copyLine(Object.values(each) as CopyValue[]);
  });
  await measure('Timelines', () => {
    const histories = new Map(writes.map(({ id, events }) => [id, events]));
    for (const own of Map.groupBy(writes, ({ propertyId }) => propertyId).values())
      buildTimeline(
        own.map((write) => marketListing(write, now)),
        histories,
      );
  });
  return steps;
}
