// The MCP App as tools name it: where hosts find its page, and how they say that they can show it.

import { objectOf } from './listing-text.ts';
import type { Json } from './tool-row.ts';

/** URI of the page. */
export const APP_URI = 'ui://freehold/homes';
/** The form of such pages. */
export const APP_TYPE = 'text/html;profile=mcp-app';
/** The key of the extension among the capabilities of clients. */
const EXTENSION = 'io.modelcontextprotocol/ui';
/** Where a request of the newer era has the capabilities of its client. */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Whether the client of a request says that it shows such pages. In the older era only `initialize` does, which no session remembers. */
export function showsApps(params: Json): boolean {
  const capabilities = objectOf(objectOf(params._meta)[CAPABILITIES]);
  const { mimeTypes } = objectOf(objectOf(capabilities.extensions)[EXTENSION]);
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_TYPE);
}
