// Clients that hosts of agents are built on, run as programs of their own: what each makes of calls of tools.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { CLIENTS } from '../process/client-packages.ts';

export interface HostCall {
  readonly name: string;
  readonly arguments: object;
}

/** What the client gives its caller; `thrown`: it failed, so that a model would learn nothing but that. */
export interface HostResult {
  readonly thrown?: string;
  readonly isError?: boolean;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: object;
  /** Of LangChain: `error` where the tool failed. */
  readonly status?: string;
}

export interface HostRun {
  readonly tools: readonly string[];
  /** In the order of the calls. */
  readonly results: readonly HostResult[];
}

/** Packages of test/clients with version 1 of the official SDK, as they are installed. */
export const SDKS = ['mcp-sdk-1.12', 'mcp-sdk-1.17', '@modelcontextprotocol/sdk'] as const;

export const runSdk = (sdk: string, url: string, key: string, calls: readonly HostCall[]) =>
  run(['mcp/sdk.ts', sdk, url, key], calls);

export const runLangChain = (url: string, key: string, calls: readonly HostCall[]) =>
  run(['mcp/langchain.ts', url, key], calls);

async function run(args: readonly string[], calls: readonly HostCall[]): Promise<HostRun> {
  const child = spawn(process.execPath, args, { cwd: CLIENTS, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(calls));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.ok(output.startsWith('{'), `${args.join(' ')}: ${errors}`);
  return JSON.parse(output) as HostRun;
}
