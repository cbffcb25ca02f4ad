// Results of tools: an answer projected, in words, with what was left out and links to what it is about.

import { type Projection, project } from './projection.ts';
import { resourceUris } from './resource-link.ts';
import type { ToolResult } from './tool.ts';
import type { Detail, Json, ToolRow } from './tool-row.ts';
import { fence, jsonBlock } from './untrusted.ts';

/** The result that shows an answer of the tool's route. */
export function toolResult(
  row: ToolRow,
  answer: object,
  { detail, sent, now }: { detail: Detail; sent: Json; now: number },
): ToolResult {
  const projection = project(answer, detail === 'short' ? (row.short ?? {}) : null);
  const { value, untrusted } = projection;
  const isShort = row.short !== undefined && detail === 'short' && sent.fields === undefined;
  const omitted = omissions(row, projection, isShort);
  const links = resourceUris(row.links?.(value) ?? []);
  const text = [
    row.text(value, now),
    ...(detail === 'full' ? [jsonBlock(value)] : []),
    ...(omitted.length > 0 ? [omitted.join('\n')] : []),
    ...(links.length > 0 ? [`Resources: ${links.join(' ')}`] : []),
    ...(untrusted.length > 0 ? [fence(untrusted)] : []),
  ].join('\n\n');
  return {
    outcome: 'ok',
    content: [{ type: 'text', text }],
    structuredContent: { ...value, links, untrusted, omitted },
  };
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
