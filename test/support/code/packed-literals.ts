// Spreads of literals, `...{ a, b }` and `...[a, b]`: members of them are not checked against the type that is expected.

import { type Node, parseSync, Visitor } from 'oxc-parser';

/** `path:line` of each spread of a literal, also below `as const`, `satisfies` and parentheses. Spreads of conditions are others. */
export function packedLiterals(path: string, text: string): string[] {
  const { program, errors } = parseSync(path, text, { preserveParens: true });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: string[] = [];
  const visitor = new Visitor({
    SpreadElement: ({ argument, start }) => {
      const { type } = withoutTypes(argument);
      if (type === 'ObjectExpression' || type === 'ArrayExpression')
        found.push(`${path}:${text.slice(0, start).split('\n').length}`);
    },
  });
  visitor.visit(program);
  return found;
}

function withoutTypes(node: Node): Node {
  if (
    node.type === 'ParenthesizedExpression' ||
    node.type === 'TSAsExpression' ||
    node.type === 'TSSatisfiesExpression'
  )
    return withoutTypes(node.expression);
  return node;
}
