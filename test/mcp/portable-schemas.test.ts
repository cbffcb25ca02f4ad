// Proves that no vendor of models and no generator of grammars refuses a schema of a tool, and that clients can read every pattern.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { listTools } from '../support/mcp/call-tool.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const tools = await listTools(service.url, service.keys.free);

type Json = Readonly<Record<string, unknown>>;

/** What OpenAI's strict mode, Gemini, Anthropic's strict tools and the grammars of llama.cpp all take. */
const KEYWORDS = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'anyOf',
]);
const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean']);

/** Calls back for each schema below one, and itself. */
function walk(schema: unknown, path: string, visit: (schema: Json, path: string) => void): void {
  assert.ok(typeof schema === 'object' && schema !== null && !Array.isArray(schema), path);
  const { properties = {}, items, anyOf = [] } = schema as Json;
  visit(schema as Json, path);
  for (const [name, member] of Object.entries(properties as Json)) walk(member, `${path}/${name}`, visit);
  for (const [at, option] of (anyOf as unknown[]).entries()) walk(option, `${path}|${at}`, visit);
  if (items !== undefined) walk(items, `${path}[]`, visit);
}

for (const { name, inputSchema } of tools)
  test(`the arguments of ${name} are described in the keywords that all vendors take`, () => {
    assert.equal((inputSchema as Json).type, 'object');
    walk(inputSchema, String(name), (schema, path) => {
      for (const keyword of Object.keys(schema)) assert.ok(KEYWORDS.has(keyword), `${path}: ${keyword}`);
      const { type, properties, required = [], additionalProperties, items } = schema;
      // One type, not a list; enumerations are of texts; objects are closed and name what they have; lists say of what.
      assert.ok(TYPES.has(String(type)), `${path}: ${JSON.stringify(type)}`);
      if (schema.enum !== undefined) {
        assert.equal(type, 'string', path);
        for (const value of schema.enum as unknown[]) assert.equal(typeof value, 'string', path);
      }
      if (type === 'array') assert.notEqual(items, undefined, path);
      if (type !== 'object') return;
      assert.equal(additionalProperties, false, path);
      const names = Object.keys(Object(properties));
      if (path !== name) assert.ok(names.length > 0, path);
      for (const each of required as string[]) assert.ok(names.includes(each), `${path}: ${each}`);
    });
  });

test('every tool together takes an agent at most 8,000 tokens to read', (t) => {
  const tokens = countTokens(JSON.stringify({ tools }));
  t.diagnostic(`${tokens} tokens`);
  assert.ok(tokens <= 8_000, `${tokens}`);
});

/** What a pattern may not have: looking around, classes by letter, and groups within groups. */
const REFUSED = /\(\?|\\[dDwWsSbBpP]|\([^)]*\(/;

test('no pattern of a tool or of the API looks around, has classes by letter, or groups within groups', () => {
  const openapi = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
  const patterns: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (name === 'pattern' && typeof member === 'string') patterns.push(member);
      if (name === 'patternProperties') patterns.push(...Object.keys(Object(member)));
      collect(member);
    }
  };
  collect(JSON.parse(openapi));
  collect(tools);
  assert.ok(patterns.length > 0);
  assert.deepEqual(
    patterns.filter((pattern) => REFUSED.test(pattern)),
    [],
  );
});
