// Lengths of functions, as a parser of TypeScript finds them.

import { type Node, parseSync, Visitor } from 'oxc-parser';

export interface FunctionLength {
  /** `path:line` of the brace that opens the body. */
  readonly place: string;
  readonly lines: number;
}

/** Lines from the brace that opens each function's body to the one that closes it. Arrows without braces do not count. */
export function functionLengths(path: string, text: string): FunctionLength[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lengths: FunctionLength[] = [];
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const add = ({ body }: { body: Node | null }) => {
    if (body?.type !== 'BlockStatement') return;
    const first = lineOf(body.start);
    lengths.push({ place: `${path}:${first}`, lines: lineOf(body.end) - first + 1 });
  };
  const visitor = new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  });
  visitor.visit(program);
  return lengths;
}
