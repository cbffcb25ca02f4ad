// Parser of $filter: its grammar, as a tree.
import { type Literal, type Token, tokenize } from './filter-tokens.ts';
import { badRequest } from './problem.ts';

export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

export type Expression =
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly operator: Comparison;
      readonly literal: Literal;
    }
  | { readonly kind: 'in'; readonly field: string; readonly literals: readonly Literal[] }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly kind: 'not'; readonly part: Expression };

const COMPARISONS: ReadonlySet<string> = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
/** Deeper nesting is refused: the parser calls itself once a level. */
const DEEPEST = 50;

/** Reads a filter such as `StandardStatus in ('Active','Pending') and ListPrice le 500000`. */
export function parseFilter(text: string): Expression {
  const parser = new Parser(tokenize(text));
  const expression = parser.or(0);
  parser.end();
  return expression;
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  or(depth: number): Expression {
    return this.#chain('or', () => this.#and(depth));
  }

  end(): void {
    const token = this.#tokens[this.#next];
    if (token) throw unexpected(token, 'the end');
  }

  #and(depth: number): Expression {
    return this.#chain('and', () => this.#term(depth));
  }

  #chain(word: 'and' | 'or', part: () => Expression): Expression {
    const first = part();
    const parts = [first];
    while (this.#takeWord(word)) parts.push(part());
    return parts.length === 1 ? first : { kind: word, parts };
  }

  #term(depth: number): Expression {
    if (depth > DEEPEST) throw badRequest(`$filter: nested more than ${DEEPEST} deep`);
    if (this.#takeWord('not')) return { kind: 'not', part: this.#term(depth + 1) };
    if (this.#take('(')) {
      const inner = this.or(depth + 1);
      this.#expect(')');
      return inner;
    }
    return this.#comparison();
  }

  #comparison(): Expression {
    const field = this.#word('a field name');
    const operator = this.#word('an operator');
    if (operator === 'in') return { kind: 'in', field, literals: this.#list() };
    if (!COMPARISONS.has(operator))
      throw badRequest(`$filter: "${operator}" is not an operator; known: eq ne gt ge lt le in`);
    return { kind: 'compare', field, operator: operator as Comparison, literal: this.#literal() };
  }

  #list(): Literal[] {
    this.#expect('(');
    const literals = [this.#literal()];
    while (this.#take(',')) literals.push(this.#literal());
    this.#expect(')');
    return literals;
  }

  #literal(): Literal {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'literal') throw unexpected(token, 'a value');
    this.#next += 1;
    return token.literal;
  }

  #word(wanted: string): string {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'word') throw unexpected(token, wanted);
    this.#next += 1;
    return token.text;
  }

  #takeWord(text: string): boolean {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'word' || token.text !== text) return false;
    this.#next += 1;
    return true;
  }

  #take(kind: '(' | ')' | ','): boolean {
    if (this.#tokens[this.#next]?.kind !== kind) return false;
    this.#next += 1;
    return true;
  }

  #expect(kind: '(' | ')' | ','): void {
    if (!this.#take(kind)) throw unexpected(this.#tokens[this.#next], `"${kind}"`);
  }
}

function unexpected(token: Token | undefined, wanted: string): Error {
  return badRequest(
    token
      ? `$filter: expected ${wanted} at position ${token.at}`
      : `$filter: it ends where ${wanted} is expected`,
  );
}
