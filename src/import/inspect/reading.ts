// Reading of a column as a field: its rules, what share they read, and what is doubtful.

import type { ColumnSummary } from './column-summary.ts';
import type { Measured } from './measure.ts';

/** What the file as a whole says of how its columns are meant. */
export interface FileHints {
  /** As far as it is known before its coordinates are read. */
  readonly country: string | null;
  readonly nulls: readonly string[];
}

export interface Reading extends Measured {
  /** What is doubtful, in a sentence; null for nothing. */
  readonly doubt: string | null;
}

export const without = (measured: Measured | null): Reading | null =>
  measured && { ...measured, doubt: null };

export const textsOf = (summary: ColumnSummary): string[] => summary.representatives.map(({ text }) => text);
