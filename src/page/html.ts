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

/** Code that may wrap before each parameter of a URL in it. */
export function wrappable(code: string): Fragment {
  return code.split(/(?=&\w+=)/).map((part, at) => (at === 0 ? part : html`<wbr>${part}`));
}

/** The text, cut with an ellipsis beyond `max` characters. */
export function shortened(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** Invisible characters, and those that change the direction of text: with them one text can look like another. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]+/gu;

/** One line of what others wrote, without invisible characters. */
export function visibleText(text: string): string {
  const visible = text.toWellFormed().normalize('NFC').replaceAll(INVISIBLE, '');
  return visible.replaceAll(/\s+/gu, ' ').trim();
}
