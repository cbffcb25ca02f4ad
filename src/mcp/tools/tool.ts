// Tools of the MCP endpoint: each is a route of the API as an agent calls it.

import type { IncomingHttpHeaders } from 'node:http';
import type { TextContent, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Principal } from '../../access/tiers/tiers.ts';
import type { CallUsage } from '../../http/frame/call-usage.ts';
import type { Access } from '../../http/frame/route.ts';
import type { Problem, ProblemCode } from '../../lib/problem.ts';

/** A JSON Schema of the draft 2020-12 whose root is an object. */
export interface ObjectSchema {
  [keyword: string]: unknown;
  type: 'object';
}

/** A tool as `tools/list` shows it. */
export interface ToolDescriptor {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
  /** Where hosts of MCP Apps find the page that shows the results. */
  readonly _meta?: { readonly ui: { readonly resourceUri: string } };
}

/** What a call knows of its request; handed to the route's handler. */
export interface ToolContext {
  readonly caller: Principal;
  readonly requestId: string;
  /** The client's address after trusted proxies. */
  readonly address: string;
  /** The peer address of the socket. */
  readonly peer: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the client leaves or cancels. */
  readonly signal: AbortSignal;
  /** Why the request was refused; null: it was admitted. */
  readonly refusal: Problem | null;
  readonly usage: CallUsage;
  /** Whether the client shows the pages of MCP Apps. */
  readonly showsApps: boolean;
  /** Sends progress; absent: the client asked for none. */
  readonly progress?: (message: string) => Promise<void>;
}

/** Result of a call. */
export interface ToolResult {
  /** For metrics and the log, which need it of errors that have no structured content. */
  readonly outcome: 'ok' | ProblemCode;
  /** Text alone: other blocks are refused or dropped by clients of older protocols. */
  readonly content: TextContent[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

export interface Tool {
  readonly name: string;
  readonly descriptor: ToolDescriptor;
  /** The route's: tier, scope, what a call is counted against. */
  readonly access: Access;
  /** Reports every Problem as a result with `isError`. Throws only the reason of an aborted signal. */
  call(args: unknown, context: ToolContext): Promise<ToolResult>;
}
