// Kinds of clients, for metrics: the hosts of agents that are known by what they send, and all others as one.

import { EXPLORER_CLIENT_ID } from './explorer-client.ts';

interface KnownClient {
  readonly kind: string;
  /** Of the redirect URI: whoever has the grant receives its codes there. */
  readonly redirect?: RegExp;
  /** Of the https URL that is the client's id. */
  readonly document?: RegExp;
  /** As the client calls itself. Anybody can. */
  readonly name?: RegExp;
}

const KNOWN: readonly KnownClient[] = [
  { kind: 'explorer', document: new RegExp(`^${EXPLORER_CLIENT_ID}$`) },
  { kind: 'claude', redirect: /^https:\/\/claude\.(?:ai|com)\// },
  {
    kind: 'claude-code',
    document: /^https:\/\/claude\.ai\/oauth\/claude-code-client-metadata$/,
    name: /^Claude Code\b/i,
  },
  { kind: 'chatgpt', redirect: /^https:\/\/chatgpt\.com\// },
  { kind: 'codex', document: /^https:\/\/chatgpt\.com\/oauth\/codex\//, name: /^Codex\b/i },
  { kind: 'gemini-cli', name: /^Gemini CLI\b/i },
  {
    kind: 'vscode',
    redirect: /^(?:https:\/\/(?:insiders\.)?vscode\.dev\/|vscode(?:-insiders)?:)/,
    document: /^https:\/\/vscode\.dev\//,
    name: /^Visual Studio Code\b/i,
  },
  { kind: 'cursor', redirect: /^(?:https:\/\/www\.cursor\.com\/|cursor:)/, name: /^Cursor\b/i },
  { kind: 'goose', document: /^https:\/\/goose-docs\.ai\//, name: /^Goose\b/i },
  { kind: 'mcp-remote', name: /^MCP CLI Proxy\b/i },
  { kind: 'inspector', name: /^MCP Inspector\b/i },
];

export interface ClientTraits {
  readonly clientId: string;
  /** As the client calls itself; null where that is not known, or no longer. */
  readonly clientName: string | null;
  readonly redirectUri: string;
}

/**
 * The kind of a client: one of a dozen words, so that a metric has few series. What a client cannot invent, its redirect URI
 * and its document, counts before its name. `other` for all that are not known.
 */
export function clientKind({ clientId, clientName, redirectUri }: ClientTraits): string {
  const known =
    KNOWN.find(({ redirect }) => redirect?.test(redirectUri)) ??
    KNOWN.find(({ document }) => document?.test(clientId)) ??
    KNOWN.find(({ name }) => name?.test(clientName ?? ''));
  return known?.kind ?? 'other';
}
