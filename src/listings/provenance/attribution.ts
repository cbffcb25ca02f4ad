// Attribution: the line that is displayed with a listing, and the one of a source, as the terms of the source want them. Pure.

import { type Display, PLAIN } from '../../access/tiers/reach.ts';
import type { StoredRecord } from '../stored-record.ts';

/** The texts of a record that a line may have. */
type Attributed = Pick<StoredRecord, 'provider' | 'office' | 'agent'>;

/** Characters of one text of a record, and of a line. */
const MAX_TEXT = 200;
const MAX_LINE = 2_000;

/** A placeholder, in braces. */
const NAMED = /\{(\w+)\}/g;

/** One line, without what people cannot see, and not long. */
const plain = (text: string | null | undefined): string | null => {
  const line = (text ?? '').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ').trim();
  return line === '' ? null : line.slice(0, MAX_TEXT).toWellFormed();
};

/** The name of the source of a record: the market that it is from, else who sends it, else the name that it is set up with. */
const sourceName = ({ id, name, originatingSystem }: Attributed['provider'], setUp: string | null): string =>
  plain(originatingSystem) ?? plain(name) ?? plain(setUp) ?? id;

/** The line of a listing; never empty. */
export function listingAttribution(
  record: Attributed,
  { name, attribution, disclaimer }: Pick<Display, 'name' | 'attribution' | 'disclaimer'> = PLAIN,
): string {
  const source = sourceName(record.provider, name);
  const line = attribution === null ? statedLine(record) : fill(attribution, textsOf(record, source));
  return withDisclaimer(line, disclaimer, source);
}

/** The line of a source beside figures, and of lists; `name` is as its listings have it. */
export const sourceAttribution = (
  name: string,
  { disclaimer }: Pick<Display, 'disclaimer'> = PLAIN,
): string => withDisclaimer(name, disclaimer, name);

function withDisclaimer(line: string, disclaimer: string | null, source: string): string {
  if (disclaimer === null) return line.slice(0, MAX_LINE);
  const end = /[.!?]$/.test(line) ? '' : '.';
  return `${line}${end} ${disclaimer.replaceAll('{source}', source)}`.slice(0, MAX_LINE);
}

/** What the source states, the brokerage and the source, each unless it is named already. */
function statedLine({ provider, office }: Attributed): string {
  const parts: string[] = [];
  for (const text of [provider.attribution, office?.name, provider.originatingSystem ?? provider.name]) {
    const part = plain(text);
    if (part !== null && !parts.some((other) => other.toLowerCase().includes(part.toLowerCase())))
      parts.push(part);
  }
  return parts.length === 0 ? provider.id : parts.join(' · ');
}

/** What the placeholders of a line stand for; each falls back to another that is known. */
function textsOf({ provider, office, agent }: Attributed, source: string): Readonly<Record<string, string>> {
  const brokerage = plain(office?.name) ?? plain(provider.attribution) ?? source;
  return {
    brokerage,
    agent: plain(agent?.name) ?? brokerage,
    contact:
      plain(provider.attribution) ??
      plain(agent?.phone) ??
      plain(office?.phone) ??
      plain(agent?.email) ??
      plain(office?.email) ??
      brokerage,
    source,
    copyright: plain(provider.copyright) ?? source,
  };
}

const fill = (line: string, texts: Readonly<Record<string, string>>): string =>
  line.replaceAll(NAMED, (written, name: string) =>
    Object.hasOwn(texts, name) ? (texts[name] ?? '') : written,
  );
