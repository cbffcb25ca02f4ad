// HTML template tag that escapes whatever is not already HTML.

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Fragment = Html | string | number | null | readonly Fragment[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Builds HTML. Strings and numbers are escaped for text and quoted attributes; null is empty; lists are joined. */
export function html(parts: TemplateStringsArray, ...fragments: readonly Fragment[]): Html {
  return new Html(parts.reduce((text, part, at) => text + render(fragments[at - 1] ?? null) + part));
}

function render(fragment: Fragment): string {
  if (fragment === null) return '';
  if (fragment instanceof Html) return fragment.text;
  if (typeof fragment === 'object') return fragment.map(render).join('');
  return String(fragment).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
