// Bridge mcp-remote in a process of its own, with the official client on its other side, as desktop programs use it.

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { atEnd, type Closing } from '../database/database.ts';

const MCP_REMOTE = fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js'));

export interface BridgeOptions {
  /** Where it keeps tokens and registrations. */
  readonly folder: string;
  readonly args?: readonly string[];
  /** Called with each line that it says to people. */
  readonly onLine?: (line: string) => void;
}

/** Starts the bridge and connects through it; both end with the test. */
export async function connectThroughBridge(
  t: Closing,
  { url }: { readonly url: string },
  { folder, args = [], onLine }: BridgeOptions,
): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MCP_REMOTE, `${url}/mcp`, ...args],
    // No browser: the person reads the address from what the bridge says.
    env: { PATH: '', HOME: folder, MCP_REMOTE_CONFIG_DIR: join(folder, 'mcp-auth') },
    stderr: 'pipe',
  });
  const { stderr } = transport;
  if (stderr instanceof Readable) createInterface({ input: stderr }).on('line', (line) => onLine?.(line));
  const client = new Client({ name: 'desktop', version: '1' });
  atEnd(t, () => client.close());
  await client.connect(transport);
  return client;
}
