// YAML writer for plain JSON data, in block style.

/** Plain scalars: texts that neither YAML 1.1 nor 1.2 reads as anything else. */
const PLAIN = /^[A-Za-z$_/][\w$/{}.-]*(?: [A-Za-z][\w-]*)*$/;
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n|e-?\d+)$/i;

/** The value as a YAML document. Other texts are quoted as in JSON, which YAML reads. */
export function toYaml(value: unknown): string {
  return `${block(value, '').trimStart()}\n`;
}

/** The text after a key or a dash: on the same line, or as further lines, each after a line break. */
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
