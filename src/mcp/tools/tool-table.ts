// Tool table: every tool, in the order in which agents read it.

import { MARKET_TOOLS } from './market-tools.ts';
import { PROPERTY_TOOLS } from './property-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';
import type { ToolRow } from './tool-row.ts';
import { ACCOUNT_TOOLS } from './watcher-tools.ts';

export const TOOL_TABLE: readonly ToolRow[] = [
  ...SEARCH_TOOLS,
  ...PROPERTY_TOOLS,
  ...MARKET_TOOLS,
  ...ACCOUNT_TOOLS,
];
