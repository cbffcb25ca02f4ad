// Rules of a stylesheet that a page has a use for: those whose classes stand in its markup.

/** What was last looked for: the next visit to a page mostly has the same elements, and looking takes ten milliseconds. */
let last = { style: '', elements: '', rules: '' };

/** `style` on one line, as `sheet` makes it; comments and strings with braces are not in it. */
export function usedRules(style: string, markup: string): string {
  const lists = new Set([...markup.matchAll(/ class="([^"]*)"/g)].map(([, names = '']) => names));
  const tags = new Set([...markup.matchAll(/<([a-z][a-z0-9]*)/g)].map(([, name = '']) => name));
  const elements = [...tags, ...[...lists].map((names) => `.${names}`)].sort().join('\n');
  if (last.style !== style || last.elements !== elements) {
    const classes = [...lists].map((names) => new Set(names.split(' ')));
    last = { style, elements, rules: rulesFor(style, { tags, classes }) };
  }
  return last.rules;
}

interface Markup {
  readonly tags: ReadonlySet<string>;
  /** Those of each element that has some. */
  readonly classes: readonly ReadonlySet<string>[];
}

function rulesFor(style: string, elements: Markup): string {
  return rulesOf(style)
    .map(({ head, body }) => {
      if (head.startsWith('@media')) {
        const within = rulesFor(body, elements);
        return within === '' ? '' : `${head}{${within}}`;
      }
      if (head.startsWith('@')) return `${head}{${body}}`;
      const selectors = selectorsOf(head).filter((selector) => isUsed(selector, elements));
      return selectors.length === 0 ? '' : `${selectors.join(',')}{${body}}`;
    })
    .join('');
}

interface Rule {
  readonly head: string;
  readonly body: string;
}

/** The outermost rules. */
function rulesOf(style: string): readonly Rule[] {
  const rules: Rule[] = [];
  let [depth, start, open] = [0, 0, 0];
  for (let at = 0; at < style.length; at++) {
    if (style[at] === '{' && ++depth === 1) open = at;
    if (style[at] !== '}' || --depth > 0) continue;
    rules.push({ head: style.slice(start, open).trim(), body: style.slice(open + 1, at) });
    start = at + 1;
  }
  return rules;
}

/** A list of selectors, split at the commas outside of brackets. */
function selectorsOf(head: string): readonly string[] {
  const selectors = [''];
  let depth = 0;
  for (const letter of head) {
    if (letter === '(') depth++;
    if (letter === ')') depth--;
    if (letter === ',' && depth === 0) selectors.push('');
    else selectors[selectors.length - 1] += letter;
  }
  return selectors;
}

/** What stands in brackets, such as alternatives, decides nothing: a rule too many does no harm. */
function isUsed(selector: string, { tags, classes: lists }: Markup): boolean {
  let bare = selector;
  for (let former = ''; former !== bare; ) {
    former = bare;
    bare = bare.replaceAll(/\([^()]*\)|\[[^\]]*\]/g, '');
  }
  return bare.split(/[ >+~]+/).every((compound) => {
    const classes = [...compound.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name = '']) => name);
    const [tag] = /^[a-z][a-z0-9]*/.exec(compound) ?? [];
    if (tag !== undefined && !tags.has(tag)) return false;
    return classes.length === 0 || lists.some((element) => classes.every((name) => element.has(name)));
  });
}
