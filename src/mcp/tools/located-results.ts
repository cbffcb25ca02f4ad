// Results for hosts that show the MCP App: short records with the place of their home, which its map needs.

import type { ToolArguments } from './arguments.ts';
import type { ToolRow } from './tool-row.ts';

/** Short records with the position too, where others have the address. */
export function locatedRow(row: ToolRow): ToolRow {
  const { short } = row;
  if (short?.keep === undefined) return row;
  const keep = Object.entries(short.keep).map(([path, names]) => [
    path,
    names.includes('address') ? [...names, 'location'] : names,
  ]);
  return { ...row, short: { ...short, keep: Object.fromEntries(keep) } };
}

/** The same of routes that choose members by `fields`, unless the call names its own. */
export function locatedArguments(args: ToolArguments): ToolArguments {
  const { fields } = args.query;
  if (args.sent.fields !== undefined || !Array.isArray(fields) || !fields.includes('summary')) return args;
  return { ...args, query: { ...args.query, fields: [...fields, 'location'] } };
}
