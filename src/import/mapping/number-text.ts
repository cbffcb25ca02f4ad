// Numbers within a cell: one of several, a multiplier such as `k` behind it, and the unit that stands beside it.

import { areaUnitOf } from '../../listings/area-units.ts';

/** Positions of a number among the numbers of a text. */
export const NUMBER_PARTS = ['first', 'second', 'third'] as const;

/** The members of a rule that say where a number stands. */
export interface NumberRule {
  readonly part?: string;
  readonly factor?: number;
  readonly suffixes?: Readonly<Record<string, number>>;
  readonly unitInCell?: boolean;
}

/** What a cell holds of a number. */
export interface NumberText {
  /** The number as it is written, with a currency sign if the rule takes all of the text. */
  readonly text: string;
  /** What it is multiplied by. */
  readonly factor: number;
  /** As the cell names it; absent where it names none that is known. */
  readonly unit?: string;
}

/** Digits with groups of three, and decimals. */
const NUMBER = /[-+]?\d+(?:[.,'’\s]\d{3}(?!\d))*(?:[.,]\d+)?/gu;
/** Coordinates have no groups: a comma between digits and a sign or a space parts two of them. */
const COORDINATE = /[-+]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?/giu;

/** Words behind a number that may name its unit, as in `sq. ft.`. */
const UNIT_WORDS = 3;

/** How a rule takes a number from a text; null where the whole text is the number. */
export function compileNumberText(rule: NumberRule, kind: string): ((text: string) => NumberText) | null {
  const { part, factor = 1, suffixes = {}, unitInCell } = rule;
  const multipliers = Object.entries(suffixes).sort(([a], [b]) => b.length - a.length);
  const picks = part !== undefined || unitInCell === true;
  if (!picks && factor === 1 && multipliers.length === 0) return null;
  const pattern = kind === 'degrees' ? COORDINATE : NUMBER;
  const position = Math.max(0, (NUMBER_PARTS as readonly string[]).indexOf(part ?? 'first'));
  return (text) => {
    const found = [...text.matchAll(pattern)][position];
    if (found === undefined) return { text: picks ? '' : text, factor };
    const [before, after] = [
      text.slice(0, found.index),
      text.slice(found.index + found[0].length).trimStart(),
    ];
    const suffix = multipliers.find(([name]) => startsWithWord(after, name));
    const rest = suffix === undefined ? after : after.slice(suffix[0].length).replace(/^\.\s*/, '');
    const unit = unitInCell ? unitOf(rest) : undefined;
    return {
      text: picks
        ? found[0]
        : `${before}${found[0]}${suffix === undefined ? text.slice(found.index + found[0].length) : rest}`.trim(),
      factor: factor * (suffix?.[1] ?? 1),
      ...(unit !== undefined && { unit }),
    };
  };
}

function startsWithWord(text: string, word: string): boolean {
  if (!text.toLowerCase().startsWith(word.toLowerCase())) return false;
  return !/^[\p{L}\p{N}]/u.test(text.slice(word.length));
}

/** The unit that the words behind a number name; as many of them as mean one. */
function unitOf(text: string): string | undefined {
  const words = text.split(/\s+/).slice(0, UNIT_WORDS);
  for (let taken = words.length; taken > 0; taken--) {
    const unit = areaUnitOf(words.slice(0, taken).join(' '));
    if (unit !== undefined) return unit;
  }
  return undefined;
}
