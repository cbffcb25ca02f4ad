// Single-edit distance: whether one slip of the keyboard turns a text into another.

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
