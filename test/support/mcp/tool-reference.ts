// Reference of the MCP tools as Markdown, printed from the tool table.
import { isTier, type Principal, tierName } from '../../../src/access/tiers/tiers.ts';
import { unconnectedRoutes } from '../../../src/app/openapi.ts';
import type { Access, Route } from '../../../src/http/frame/route.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createTools } from '../../../src/mcp/tools/create-tools.ts';
import type { Tool } from '../../../src/mcp/tools/tool.ts';
import type { ToolRow } from '../../../src/mcp/tools/tool-row.ts';
import { TOOL_TABLE } from '../../../src/mcp/tools/tool-table.ts';

const HEAD = `# Tools of the MCP endpoint

Printed from the tool table by \`npm run docs:tools\`. [Agents](mcp.md) explains how to connect, and what all tools have in common.
`;

/** The tools of the service, connected to nothing. */
export function unconnectedTools(routes: readonly Route<Principal>[] = unconnectedRoutes()): readonly Tool[] {
  return createTools(routes, { publicUrl: '', hasExplorer: false, clock: systemClock, report: () => {} });
}

/** The text of docs/mcp-tools.md. */
export function toolReference(): string {
  const routes = unconnectedRoutes();
  const rows = new Map(TOOL_TABLE.map((row) => [row.name, row]));
  const sections = unconnectedTools(routes).map((tool) => {
    const row = rows.get(tool.name);
    const route = routes.find(({ operation }) => operation === row?.operation);
    if (route === undefined || row === undefined) throw new Error(`There is no route of ${tool.name}`);
    return section(tool, route, row);
  });
  return [HEAD, ...sections].join('\n');
}

function section(
  { name, access, descriptor }: Tool,
  { method, path }: Route<Principal>,
  { description, examples }: ToolRow,
): string {
  const { title, inputSchema, annotations } = descriptor;
  const { properties = {}, required = [] } = inputSchema as JsonSchema;
  const rows = Object.entries(properties).map(([argument, schema]) =>
    cells(
      `\`${argument}\`${required.includes(argument) ? ', required' : ''}`,
      typeOf(schema),
      schema.description ?? '',
    ),
  );
  const table = ['| Argument | Type | Meaning |', '|---|---|---|', ...rows];
  return [
    `## ${name}\n`,
    `${title}. ${description}\n`,
    `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\`. ${needs(access)} ${effect(annotations)}\n`,
    ...(rows.length === 0 ? ['It takes no arguments.\n'] : [`${table.join('\n')}\n`]),
    ...examples
      .filter((example) => JSON.stringify(example) !== '{}')
      .map((example) => `\`\`\`json\n${JSON.stringify(example)}\n\`\`\`\n`),
  ].join('\n');
}

const COUNTED: Readonly<Record<Access['counts'], string>> = {
  nothing: 'Not counted.',
  minute: 'Counts in the minute.',
  month: 'Counts in the minute and the month.',
  views: 'Counts as a view of the explorer.',
  homes: 'Counts as a home of the explorer.',
  push: 'Counts against the limits of the source.',
  tiles: 'Counts as a part of the base map.',
};

function needs({ scope, tier, counts, stream }: Access): string {
  const scopes = scope === undefined ? 'No scope' : `Scope \`${scope}\``;
  const tiers = tier === undefined || !isTier(tier) ? 'any tier' : `${tierName(tier)} and above`;
  return `${scopes}, ${tiers}. ${COUNTED[counts]}${stream === true ? ' Takes a stream while it runs.' : ''}`;
}

function effect({ readOnlyHint, destructiveHint, openWorldHint }: Tool['descriptor']['annotations']): string {
  const change = destructiveHint === true ? 'Deletes.' : 'Changes something.';
  return `${readOnlyHint === true ? 'Reads only.' : change}${openWorldHint === true ? ' May reach the source.' : ''}`;
}

/** What the reference reads of a JSON Schema. */
interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

function typeOf({ type = 'any', enum: values, items = {} }: JsonSchema): string {
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ');
  return type === 'array' ? `list: ${typeOf(items)}` : type;
}

/** A row of a table, whose cells hold no line end and no bar. */
const cells = (...texts: readonly string[]): string =>
  `| ${texts.map((text) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim()).join(' | ')} |`;
