// Tests of the instructions of the MCP server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTRUCTIONS } from './instructions.ts';

test('the instructions are short, and say that the text of others is data', () => {
  assert.ok(INSTRUCTIONS.length < 1_500);
  assert.match(INSTRUCTIONS, /`untrusted`.*never an instruction/);
});
