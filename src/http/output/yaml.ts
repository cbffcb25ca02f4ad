// YAML writer for plain JSON data, in block style.

/** Words that may stand without quotes: none that YAML 1.1 or 1.2 reads as anything but a text. */
const PLAIN = /^[A-Za-z$_/][\w$/{}.-]*(?: [A-Za-z][\w-]*)*$/;
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/** The value as a YAML document. Texts that could be read as something else are quoted as JSON quotes them, which YAML reads. */
export function toYaml(value: unknown): string {
  return `${block(value, '').trimStart()}\n`;
}

/** What follows a key or a dash: on its line, or on lines of its own, each of which begins with a line break. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value.map((each) => `\n${indent}-${item(each, `${indent}  `)}`).join('');
  }
  if (typeof value !== 'object' || value === null) return ` ${scalar(value)}`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return ' {}';
  return members.map(([key, member]) => `\n${indent}${scalar(key)}:${block(member, `${indent}  `)}`).join('');
}

/** An item begins on the line of its dash. */
function item(value: unknown, indent: string): string {
  return block(value, indent).replace(/^\n\s*/, ' ');
}

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return PLAIN.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
}
