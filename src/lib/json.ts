// JSON that came from outside: parsed, and pointed into (RFC 6901).

import { redact } from './log.ts';

const MAX_NAME_LENGTH = 64;

/** The value of a JSON text, or undefined where the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The pointer to a member of what `parent` points to, its name cut to what can be recognised and without secrets. */
export function pointerTo(name: string, parent = ''): string {
  const part = redact(name).slice(0, MAX_NAME_LENGTH);
  return `${parent}/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
