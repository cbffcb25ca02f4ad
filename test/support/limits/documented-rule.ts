// The user of the counting server that docs/operations.md describes.

import assert from 'node:assert/strict';
import { readSource } from '../code/source-files.ts';

/** Words of ACL SETUSER after the name, as the page has them, with this password. */
export function limitsUserRule(password: string, kind: 'server' | 'cluster'): string[] {
  const { text } = readSource('docs/operations.md');
  const [, rule = ''] = /^ACL SETUSER freehold (.*)$/m.exec(text) ?? assert.fail('The rule is missing');
  const [, besides = ''] =
    /in a cluster with `([^`]*)` besides/.exec(text) ?? assert.fail('No word of clusters');
  return [
    ...rule.replace('>secret', `>${password}`).split(' '),
    ...(kind === 'cluster' ? besides.split(' ') : []),
  ];
}
