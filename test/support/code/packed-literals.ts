// Spreads of literals, `...{ a, b }` and `...[a, b]`: members of them are not checked against the type that is expected.

import { type Node, parseSync, Visitor } from 'oxc-parser';

/** A spread after which a literal may follow: few files have one, and to parse them all takes long. */
const MAY_SPREAD_LITERAL = /\.\.\.(?:\s|\(|\/\*|\/\/.*)*[[{]/;

/** `path:line` of each spread of a literal, also below `as const`, `satisfies` and parentheses. Spreads of conditions are others. */
export function packedLiterals(path: string, text: string): string[] {
  if (!MAY_SPREAD_LITERAL.test(text)) return [];
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
