// JSON pointers (RFC 6901) to members of a body.

import { redact } from './log.ts';

const MAX_NAME_LENGTH = 64;

/** The pointer to a member of what `parent` points to, its name cut to what can be recognised and without secrets. */
export function pointerTo(name: string, parent = ''): string {
  const part = redact(name).slice(0, MAX_NAME_LENGTH);
  return `${parent}/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
