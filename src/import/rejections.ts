// Rejections of a file summed up by cause, with the rule that would take the rows.

import type { Fault } from './mapping/rule.ts';
import { suggestRule } from './mapping/suggest-rule.ts';

export interface RejectionCause {
  /** Empty for a fault of the whole row. */
  readonly column: string;
  /** The value, where all rows of the cause have the same; else a few of them. */
  readonly values: readonly string[];
  readonly rows: number;
  /** Where the first of them is. */
  readonly firstPlace: number;
  /** Why the first of them is rejected. */
  readonly reason: string;
  /** What to write into the rule of the map; null where nothing is known to help. */
  readonly suggestion: string | null;
}

interface Cause {
  readonly fault: Fault;
  readonly firstPlace: number;
  readonly values: Set<string>;
  rows: number;
}

const MAX_CAUSES = 500;
const SHOWN_CAUSES = 20;
const SAMPLED_VALUES = 50;
const SHOWN_VALUES = 3;

/** Kinds of which each value is a cause of its own. */
const BY_VALUE: readonly string[] = ['choice', 'boolean', 'currency'];

export class Rejections {
  readonly #causes = new Map<string, Cause>();

  add(faults: readonly Fault[], place: number): void {
    for (const fault of faults) {
      const key = causeOf(fault);
      const known = this.#causes.get(key);
      if (known !== undefined) {
        known.rows++;
        if (known.values.size < SAMPLED_VALUES) known.values.add(fault.value);
      } else if (this.#causes.size < MAX_CAUSES)
        this.#causes.set(key, { fault, firstPlace: place, values: new Set([fault.value]), rows: 1 });
    }
  }

  /** The most frequent first. */
  causes(): RejectionCause[] {
    return [...this.#causes.values()]
      .sort((a, b) => b.rows - a.rows || a.firstPlace - b.firstPlace)
      .slice(0, SHOWN_CAUSES)
      .map(({ fault: { column, field, reason }, firstPlace, values, rows }) => {
        const sample = [...values].filter((value) => value !== '');
        const suggestion = field === undefined || sample.length === 0 ? null : suggestRule(field, sample);
        return { column, values: sample.slice(0, SHOWN_VALUES), rows, firstPlace, reason, suggestion };
      });
  }
}

function causeOf({ column, value, reason, field }: Fault): string {
  const isByValue = field !== undefined && BY_VALUE.includes(field.kind);
  // Values and numbers within a reason are of the row, not of the cause.
  const detail = isByValue ? value : reason.replace(/"[^"]*"|[\d.,]+|^\S+ is in an earlier/g, '#');
  return `${column}\n${detail}`;
}
