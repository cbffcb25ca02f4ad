// Lease of a source's reader: of all processes that share a database, one reads a source, and a former one cannot write.

import { readerLeaseName } from '../ingest/removal/source-lock-store.ts';
import type { Database } from '../postgres/client/database.ts';
import { type HeldLease, takeLease } from '../postgres/leases/held-lease.ts';
import type { LeaseTimes } from '../postgres/leases/work-lease.ts';

/** Takes the right to read a source, and renews it until it is released or lost; null while another process has it. */
export const takeReaderLease = (
  database: Database,
  source: string,
  times?: LeaseTimes,
): Promise<HeldLease | null> => takeLease(database, readerLeaseName(source), times);
