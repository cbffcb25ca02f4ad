// State of the reading of a source, as commands show it.

import type { SourceReport } from '../../sources/report-store.ts';

export type State = 'paused' | 'failing' | 'loading' | 'following' | 'not read';

interface Known {
  readonly pausedAt: string | null;
  readonly isRead: boolean;
  readonly loadedAt: string | null;
  readonly report: SourceReport | null;
}

export function stateOf({ pausedAt, isRead, loadedAt, report }: Known): State {
  if (pausedAt !== null) return 'paused';
  if (!isRead) return 'not read';
  if (report !== null && report.failure !== null) return 'failing';
  return loadedAt === null ? 'loading' : 'following';
}
