// Nearest known text: suggestions for misspelt names, and the test for a single typing error.

import { distance } from 'fastest-levenshtein';

/** Characters of texts that are compared. */
const MAX_LENGTH = 64;

/** Finds the known text that a wrong one was probably meant to be. */
export type Suggest = (text: string, known: Iterable<string>) => string | undefined;

const maxDistance = (text: string): number => Math.max(1, Math.floor(text.length * 0.4));

/**
 * The known text nearest to a wrong one, if it is near enough to be what was meant. Only texts of about its length are compared:
 * the difference in length is a lower bound of the distance.
 * @param compare the edit distance of two texts
 */
export function nearest(
  text: string,
  known: Iterable<string>,
  compare: (one: string, other: string) => number = distance,
): string | undefined {
  if (text.length === 0 || text.length > MAX_LENGTH) return undefined;
  const folded = text.toLowerCase();
  let best: string | undefined;
  let limit = maxDistance(text) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - text.length) >= limit || candidate.length > MAX_LENGTH) continue;
    const edits = compare(folded, candidate.toLowerCase());
    if (edits < limit) [best, limit] = [candidate, edits];
  }
  return best;
}

/** The known texts near enough to a wrong one to be what was meant, the nearest first; each once, whatever its case. */
export function nearestFew(text: string, known: Iterable<string>, max: number): string[] {
  if (text.length === 0 || text.length > MAX_LENGTH) return [];
  const wanted = text.toLowerCase();
  const near = new Map<string, { readonly name: string; readonly edits: number }>();
  for (const name of known) {
    const folded = name.toLowerCase();
    if (near.has(folded) || Math.abs(name.length - text.length) > maxDistance(text)) continue;
    const edits = distance(wanted, folded);
    if (edits <= maxDistance(text)) near.set(folded, { name, edits });
  }
  return [...near]
    .sort(([a, one], [b, other]) => one.edits - other.edits || (a < b ? -1 : 1))
    .slice(0, max)
    .map(([, { name }]) => name);
}

/** Whether one insertion, deletion, substitution or swap of neighbours turns one text into the other; false if they are equal. */
export function isOneEdit(first: string, second: string): boolean {
  const edits = distance(first, second);
  if (edits !== 2 || first.length !== second.length) return edits === 1;
  const at = first.split('').findIndex((letter, index) => letter !== second[index]);
  return second === `${first.slice(0, at)}${first[at + 1]}${first[at]}${first.slice(at + 2)}`;
}
