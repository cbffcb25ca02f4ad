// Names of the tests in a file, as a parser of TypeScript finds them.

import { type Expression, parseSync, type SpreadElement, Visitor } from 'oxc-parser';
import type { SourceFile } from './source-files.ts';

/** The first arguments of `test(...)` and `t.test(...)`; in templates, … replaces each part that varies. */
export function testNames({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  const names: string[] = [];
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [name] }) {
      const called = callee.type === 'MemberExpression' ? callee.property : callee;
      if (called.type !== 'Identifier' || called.name !== 'test' || name === undefined) return;
      const found = textOf(name);
      if (found !== null) names.push(found);
    },
  });
  visitor.visit(parseSync(path, text).program);
  return names;
}

function textOf(argument: Expression | SpreadElement): string | null {
  if (argument.type === 'Literal' && typeof argument.value === 'string') return argument.value;
  if (argument.type !== 'TemplateLiteral') return null;
  return argument.quasis.map(({ value }) => value.cooked).join('…');
}
