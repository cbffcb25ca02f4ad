// Text of a proposed map: a rule a line, so that people read and change it.

import type { WrittenMap } from './proposal.ts';

export function mapText({ fields, questions = [], ...rest }: WrittenMap): string {
  const members = Object.entries(rest).map(([name, value]) => `  ${JSON.stringify(name)}: ${spaced(value)}`);
  const rules = Object.entries(fields).map(([name, list]) => {
    const [first, ...others] = list;
    return `    ${JSON.stringify(name)}: ${spaced(others.length === 0 ? first : list)}`;
  });
  const asked = questions.map((question) => `    ${spaced(question)}`);
  return `{\n${[
    ...members,
    `  "fields": {\n${rules.join(',\n')}\n  }`,
    ...(asked.length === 0 ? [] : [`  "questions": [\n${asked.join(',\n')}\n  ]`]),
  ].join(',\n')}\n}\n`;
}

/** One line, with spaces as people write them. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
