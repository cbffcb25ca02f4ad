// List of texts in one text, parted by commas, with items in quotes that may contain commas.

/** An item in double quotes, in which two of them stand for one. */
const QUOTED = /\s*"((?:[^"]|"")*)"\s*/y;
const OPEN = /\s*"/y;

/** The items. An item in double quotes is never split; null: its quote does not end, or something follows it. */
export function splitList(text: string, separator: string): string[] | null {
  if (!text.includes('"')) return text.split(separator);
  const items: string[] = [];
  for (let at = 0; at <= text.length; ) {
    QUOTED.lastIndex = OPEN.lastIndex = at;
    const quoted = QUOTED.exec(text);
    if (quoted === null && OPEN.test(text)) return null;
    const next = quoted === null ? text.indexOf(separator, at) : QUOTED.lastIndex;
    const end = next < 0 ? text.length : next;
    if (quoted !== null && end < text.length && text[end] !== separator) return null;
    items.push(quoted === null ? text.slice(at, end) : (quoted[1] ?? '').replaceAll('""', '"'));
    at = end + 1;
  }
  return items;
}
