// Suggestions for addresses that no route serves: the nearest one that is served.

import { redact } from '../../lib/log.ts';
import { nearest } from '../../lib/nearest.ts';

/** Gives the served address that one was meant to be; undefined where none is near. */
export type SuggestPath = (path: string) => string | undefined;

/** @param paths as routes write them: /v1/areas/:id */
export function pathSuggester(paths: readonly string[]): SuggestPath {
  const patterns = [...new Set(paths)].map((path) => path.split('/'));
  return (path) => {
    const parts = redact(path).split('/', MOST_PARTS);
    const fitting = patterns.filter(({ length }) => Math.abs(length - parts.length) <= 1);
    return nearest(
      path,
      fitting.map((pattern) => filled(pattern, parts)),
    );
  };
}

/** No route has as many. */
const MOST_PARTS = 12;

/** The pattern with its variable parts as they were sent, where there is one in their place. */
const filled = (pattern: readonly string[], sent: readonly string[]): string =>
  pattern.map((part, at) => (part.startsWith(':') ? sent[at] || `{${part.slice(1)}}` : part)).join('/');
