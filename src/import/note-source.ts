// Source of a file, noted before anything of it is stored: that it is imported, and what its licence permits.

import { writeTerms } from '../licence/licence-store.ts';
import { termsBeside } from '../licence/terms/terms.ts';
import type { Database } from '../postgres/client/database.ts';
import { findRegistered, noteSource } from '../sources/registry/registry-store.ts';
import type { ImportMap } from './mapping/map.ts';

/** What programs push to as well is set up elsewhere, and keeps its licence. */
export async function noteImported(database: Database, map: ImportMap): Promise<void> {
  const { id, name } = map.source;
  const now = new Date(database.clock.now());
  await database.transaction(async (tx) => {
    await noteSource(tx, { id, name, kind: 'file', setBy: 'import' }, now);
    if (map.kind === 'areas' || (await findRegistered(tx, id))?.setBy !== 'import') return;
    await writeTerms(tx, id, termsBeside(map.licence), now);
  });
}
