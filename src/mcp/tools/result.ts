// Results of tools: an answer projected, in words, with what was left out and links to what it is about.

import { SHORTENINGS, type Shortened, shorten, sizeOf } from './answer-size.ts';
import { type Projection, project } from './projection.ts';
import { resourceUris } from './resource-link.ts';
import type { ToolResult } from './tool.ts';
import type { Detail, Json, ToolRow } from './tool-row.ts';
import { fence, jsonBlock } from './untrusted.ts';

export interface ResultOptions {
  readonly detail: Detail;
  readonly sent: Json;
  readonly query: Json;
  /** Base of links to the explorer, without a slash at its end; null: nobody may look at it. */
  readonly viewBase: string | null;
  /** In milliseconds. */
  readonly now: number;
  /** Rows to which the call was lowered, since more are too long for an answer; null: not at all. */
  readonly loweredTo?: number | null;
}

/** The result that shows an answer of the tool's route, whatever its length. */
export function toolResult(row: ToolRow, answer: object, options: ResultOptions): ToolResult {
  const whole = project(answer, options.detail === 'short' ? (row.short ?? {}) : null);
  return composeResult(row, { ...whole, cut: [] }, true, options);
}

/** The same with lists and texts cut until it fits. */
export function shortenedResult(row: ToolRow, answer: object, options: ResultOptions): ToolResult {
  const whole = project(answer, options.detail === 'short' ? (row.short ?? {}) : null);
  for (const to of SHORTENINGS) {
    const result = composeResult(row, shorten(whole, to, row.rows ?? ''), to.block, options);
    if (sizeOf(result) <= 1 || to === SHORTENINGS.at(-1)) return result;
  }
  return toolResult(row, answer, options);
}

function composeResult(
  row: ToolRow,
  projection: Shortened,
  hasBlock: boolean,
  { detail, sent, query, viewBase, now, loweredTo = null }: ResultOptions,
): ToolResult {
  const { value, untrusted, cut } = projection;
  const isShort = row.short !== undefined && detail === 'short' && sent.fields === undefined;
  const omitted = [
    ...(loweredTo === null ? [] : [`limit was lowered to ${loweredTo}: more would not fit into an answer.`]),
    ...(cut.length === 0 ? [] : [cutSentence(row, cut)]),
    ...omissions(row, projection, isShort),
  ];
  const links = resourceUris(row.links?.(value) ?? []);
  const path = viewBase === null ? null : (row.view?.(value, query) ?? null);
  const view = path === null ? {} : { view: `${viewBase}/${path}` };
  const text = [
    row.text(value, now),
    ...(detail === 'full' && hasBlock ? [jsonBlock(value)] : []),
    ...(omitted.length > 0 ? [omitted.join('\n')] : []),
    ...(view.view === undefined ? [] : [`${viewWords(path)}: ${view.view}`]),
    ...(links.length > 0 ? [`Resources: ${links.join(' ')}`] : []),
    ...(untrusted.length > 0 ? [fence(untrusted)] : []),
  ].join('\n\n');
  return {
    outcome: 'ok',
    content: [{ type: 'text', text }],
    structuredContent: { ...value, links, ...view, untrusted, omitted },
  };
}

const viewWords = (path: string | null): string =>
  path?.startsWith('explore/market')
    ? 'As charts'
    : path?.startsWith('explore?')
      ? 'On the map'
      : 'As a page';

/** Lists that one sentence names. */
const MAX_NAMED = 12;

function cutSentence({ shown }: ToolRow, cut: readonly string[]): string {
  const more = cut.length > MAX_NAMED ? `, and ${cut.length - MAX_NAMED} others` : '';
  const names = ['fields', 'metrics', 'include', 'limit'].filter((name) => shown.includes(name));
  const remedy =
    names.length === 0
      ? 'The REST API has all.'
      : `Ask for less at once with ${names.join(' or ')}; the REST API has all.`;
  return `Cut to fit into an answer: ${cut.slice(0, MAX_NAMED).join('; ')}${more}. ${remedy}`;
}

/** What was left out, and how to get it, in sentences. */
function omissions({ name, shown }: ToolRow, { value, isCut }: Projection, isShort: boolean): string[] {
  const { hasMore, nextCursor } = (value.page ?? {}) as {
    readonly hasMore?: boolean;
    readonly nextCursor?: unknown;
  };
  const cursor = shown.includes('cursor') ? 'cursor' : 'after';
  return [
    ...(hasMore === true
      ? [`More follows: call ${name} with the same arguments and ${cursor} "${String(nextCursor)}".`]
      : []),
    ...(isShort ? ['Records are short: send detail "full" for every member.'] : []),
    ...(isCut ? ['Long texts are cut; they end with "…".'] : []),
  ];
}
