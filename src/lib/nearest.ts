// Nearest known text: suggestions for what was misspelt.

import { distance } from 'fastest-levenshtein';

/** Longest text that is compared with known ones, and longest known one that it is compared with. */
const LONGEST_COMPARED = 64;

/** Finds the known text that a wrong one was meant to be. */
export type Suggest = (text: string, known: Iterable<string>) => string | undefined;

/**
 * The known text nearest to a wrong one, when it is near enough to be what was meant. Only texts of about its length are
 * compared: the difference in length is a lower bound of the distance.
 * @param compare the edit distance of two texts
 */
export function nearest(
  text: string,
  known: Iterable<string>,
  compare: (one: string, other: string) => number = distance,
): string | undefined {
  if (text.length === 0 || text.length > LONGEST_COMPARED) return undefined;
  const folded = text.toLowerCase();
  let best: string | undefined;
  let least = mostSteps(text) + 1;
  for (const candidate of known) {
    const isFar = Math.abs(candidate.length - text.length) >= least;
    if (isFar || candidate.length > LONGEST_COMPARED) continue;
    const steps = compare(folded, candidate.toLowerCase());
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** The known texts near enough to a wrong one to be what was meant, the nearest first; each once, whatever its case. */
export function nearestFew(text: string, known: Iterable<string>, most: number): string[] {
  if (text.length === 0 || text.length > LONGEST_COMPARED) return [];
  const asked = text.toLowerCase();
  const near = new Map<string, { readonly name: string; readonly steps: number }>();
  for (const name of known) {
    const folded = name.toLowerCase();
    if (near.has(folded) || Math.abs(name.length - text.length) > mostSteps(text)) continue;
    const steps = distance(asked, folded);
    if (steps <= mostSteps(text)) near.set(folded, { name, steps });
  }
  return [...near]
    .sort(([a, one], [b, other]) => one.steps - other.steps || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([, { name }]) => name);
}

const mostSteps = (text: string): number => Math.max(1, Math.floor(text.length * 0.4));

/** Whether one insertion, deletion, substitution or swap of neighbours turns one into the other; false where they are equal. */
export function isOneEdit(first: string, second: string): boolean {
  const a = [...first];
  const b = [...second];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (at === a.length && at === b.length) return false;
  const rest = (text: readonly string[], skipped: number) => text.slice(at + skipped).join('');
  const swapped = a.length > at + 1 && a[at] === b[at + 1] && a[at + 1] === b[at];
  return (
    rest(a, 1) === rest(b, 0) ||
    rest(a, 0) === rest(b, 1) ||
    rest(a, 1) === rest(b, 1) ||
    (swapped && rest(a, 2) === rest(b, 2))
  );
}
