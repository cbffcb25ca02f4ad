// Owns how long functions are: lines from the brace that opens a body to the one that closes it, found by their text.

const BEFORE_BODY = /=>\s*$|\)\s*(?::\s*[^\s;{}()=][^;{}()=]*)?$/;
const NO_FUNCTION = /(?:^|[^\w.])(?:if|for|while|switch|catch|with)\s*$/;

/** Lines from the brace that opens each function's body to the one that closes it. Arrows without braces do not count. */
export function bodyLengths(bare: string): number[] {
  const lengths: [start: number, length: number][] = [];
  const open: (number | null)[] = [];
  let line = 1;
  for (let at = 0; at < bare.length; at += 1) {
    if (bare[at] === '\n') line += 1;
    else if (bare[at] === '{') open.push(opensBody(bare.slice(Math.max(0, at - 400), at)) ? line : null);
    else if (bare[at] === '}') {
      const start = open.pop();
      if (typeof start === 'number') lengths.push([start, line - start + 1]);
    }
  }
  return lengths.toSorted(([a], [b]) => a - b).map(([, length]) => length);
}

function opensBody(before: string): boolean {
  const found = BEFORE_BODY.exec(before.trimEnd());
  if (found === null) return false;
  return (
    found[0].startsWith('=>') || !NO_FUNCTION.test(before.slice(0, openingParenthesis(before, found.index)))
  );
}

function openingParenthesis(text: string, closing: number): number {
  let depth = 0;
  for (let at = closing; at >= 0; at -= 1) {
    if (text[at] === ')') depth += 1;
    else if (text[at] === '(') depth -= 1;
    if (depth === 0) return at;
  }
  return 0;
}
