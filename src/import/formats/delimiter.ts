// Delimiters of CSV: which one a heading is written with, where the one that was expected is not it.

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * The delimiter by which a heading names more of the columns than by the one in use; null where there is none. Without
 * columns to look for: the one that parts the heading where the one in use does not.
 */
export function likelyDelimiter(heading: string, used: string, columns: readonly string[]): string | null {
  const named = (delimiter: string): number => {
    const names = heading.split(delimiter).map(unquoted);
    return columns.length > 0 ? columns.filter((column) => names.includes(column)).length : names.length - 1;
  };
  const least = columns.length > 0 ? named(used) : 0;
  if (columns.length === 0 && named(used) > 0) return null;
  const others = DELIMITERS.filter((delimiter) => delimiter !== used);
  const best = others.reduce((a, b) => (named(b) > named(a) ? b : a), others[0] ?? '');
  return named(best) > least ? best : null;
}

/** What to write into the map. */
export function delimiterText(found: string, used: string): string {
  const shown = JSON.stringify(found);
  return `its columns are parted by ${shown} and not by ${JSON.stringify(used)}: say "file": {"delimiter": ${shown}} in the map`;
}

function unquoted(name: string): string {
  const trimmed = name.trim();
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"') : trimmed;
}
