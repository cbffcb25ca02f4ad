// Proves that each known kind of client is recognised by what it sends, and that a name alone claims no proven kind.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSource } from '../../../test/support/code/source-files.ts';
import { clientKind } from './client-kind.ts';

const LOOPBACK = 'http://127.0.0.1:33418/callback';

const CLIENTS: readonly (readonly [
  kind: string,
  clientId: string,
  clientName: string | null,
  redirectUri: string,
])[] = [
  ['explorer', 'freehold-explorer', null, 'https://freehold.example/explore/callback'],
  ['claude', 'client_1', 'Claude', 'https://claude.ai/api/mcp/auth_callback'],
  ['claude', 'client_1', null, 'https://claude.com/api/mcp/auth_callback'],
  [
    'claude-code',
    'https://claude.ai/oauth/claude-code-client-metadata',
    null,
    'http://localhost:3118/callback',
  ],
  ['claude-code', 'client_1', 'Claude Code (freehold)', LOOPBACK],
  ['chatgpt', 'client_1', 'ChatGPT', 'https://chatgpt.com/connector/oauth/abc'],
  ['codex', 'https://chatgpt.com/oauth/codex/client.json', null, LOOPBACK],
  ['codex', 'client_1', 'Codex', LOOPBACK],
  ['gemini-cli', 'client_1', 'Gemini CLI MCP Client', LOOPBACK],
  ['vscode', 'https://vscode.dev/oauth/client-metadata.json', null, LOOPBACK],
  ['vscode', 'client_1', 'Visual Studio Code', LOOPBACK],
  ['vscode', 'client_1', null, 'https://vscode.dev/redirect'],
  ['cursor', 'client_1', null, 'cursor://anysphere.cursor-mcp/oauth/callback'],
  ['cursor', 'client_1', 'Cursor', LOOPBACK],
  ['goose', 'https://goose-docs.ai/oauth/client-metadata.json', 'Goose', LOOPBACK],
  ['mcp-remote', 'client_1', 'MCP CLI Proxy', LOOPBACK],
  ['inspector', 'client_1', 'MCP Inspector', LOOPBACK],
  ['other', 'client_1', 'A program', LOOPBACK],
  ['other', 'my-client', null, LOOPBACK],
  ['other', 'https://claude.ai.example/oauth/claude-code-client-metadata', null, LOOPBACK],
  ['other', 'client_1', 'Recodex', 'https://example.com/?https://chatgpt.com/'],
];

for (const [kind, clientId, clientName, redirectUri] of CLIENTS)
  test(`${clientName ?? clientId} at ${redirectUri} is counted as ${kind}`, () => {
    assert.equal(clientKind({ clientId, clientName, redirectUri }), kind);
  });

test('docs/operations.md names each kind, and no other', () => {
  const [, list = ''] =
    /^`client` is the kind of client: (.*?)\. /m.exec(readSource('docs/operations.md').text) ?? [];
  assert.deepEqual(
    [...list.matchAll(/`([^`]+)`/g)].map(([, kind]) => kind),
    [...new Set(CLIENTS.map(([kind]) => kind))],
  );
});

test('a name does not change the kind that a redirect URI proves', () => {
  const redirectUri = 'https://chatgpt.com/connector/oauth/abc';
  assert.equal(clientKind({ clientId: 'client_1', clientName: 'Claude Code', redirectUri }), 'chatgpt');
});
