// Proposal for a file: the map to write, what each column is taken for and how sure that is, and open questions.

import type { ImportMap } from '../mapping/map.ts';
import type { Rule } from '../mapping/rule.ts';

/** What nobody but the operator knows; the import goes on with what is assumed. */
export type Question = NonNullable<ImportMap['questions']>[number];

export interface ColumnProposal {
  readonly column: string;
  /** None where nothing reads it. */
  readonly fields: readonly string[];
  /** 0 to 1. */
  readonly confidence: number;
  /** The share of its values that are read; null for a column that is not. */
  readonly share: number | null;
  /** The share of rows in which it is empty. */
  readonly empty: number;
  readonly samples: readonly string[];
}

export type FieldRules = Record<string, Rule[]>;

/** A map as it is written, before its text is checked. */
export interface WrittenMap {
  kind: 'listings';
  source: ImportMap['source'];
  file?: NonNullable<ImportMap['file']>;
  timeZone?: string;
  nulls?: string[];
  fields: FieldRules;
  questions?: Question[];
}

export interface Proposal {
  readonly map: WrittenMap;
  readonly columns: readonly ColumnProposal[];
  /** Columns of which a key could be made, the best first. */
  readonly keys: readonly (readonly string[])[];
  /** What the operator should know, in sentences. */
  readonly notes: readonly string[];
}

/** What is found out of a file on the way to its proposal. */
export interface Draft {
  readonly fields: FieldRules;
  readonly questions: Question[];
  readonly notes: string[];
  /** By column: its fields, and how sure they are. */
  readonly uses: Map<string, { readonly fields: string[]; confidence: number; share: number }>;
}

/** Notes that a column serves a field. */
export function use(draft: Draft, column: string, field: string, confidence: number, share: number): void {
  const known = draft.uses.get(column);
  if (known === undefined) draft.uses.set(column, { fields: [field], confidence, share });
  else if (!known.fields.includes(field)) known.fields.push(field);
}
