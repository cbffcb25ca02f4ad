// Credits of a map from the attribution of its archive, which is HTML of others: texts and links, nothing else.

import type { Credit } from './facts.ts';

const LINK = /<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>(.*?)<\/a>/gis;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  copy: '©',
  gt: '>',
  lt: '<',
  nbsp: ' ',
  quot: '"',
  '#39': "'",
  '#169': '©',
};
const MAX_LENGTH = 2_000;

/** The parts of an attribution in their order; none of one that is no text. */
export function readCredits(attribution: unknown): readonly Credit[] {
  if (typeof attribution !== 'string') return [];
  const html = attribution.slice(0, MAX_LENGTH);
  const credits: Credit[] = [];
  let at = 0;
  for (const match of html.matchAll(LINK)) {
    credits.push({ text: textOf(html.slice(at, match.index)), href: null });
    credits.push({ text: textOf(match[3] ?? ''), href: linkOf(match[1] ?? match[2] ?? '') });
    at = match.index + match[0].length;
  }
  credits.push({ text: textOf(html.slice(at)), href: null });
  return credits.filter(({ text }) => text.trim() !== '');
}

/** Without tags, and in one line. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>?/g, ' ')
    .replaceAll(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name.toLowerCase()] ?? entity)
    .replaceAll(/\s+/g, ' ');

function linkOf(href: string): string | null {
  const url = URL.parse(textOf(href).trim());
  return url?.protocol === 'https:' ? url.href : null;
}
