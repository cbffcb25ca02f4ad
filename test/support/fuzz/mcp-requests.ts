// Random messages to the MCP endpoint: methods, tools with arguments that their schemas nearly allow, envelopes and headers, bent.

import fc from 'fast-check';
import type { Random } from '../check/random.ts';
import { REVISIONS, rpcRequest } from '../mcp/messages.ts';
import { bent, type FuzzCase, type Material } from './requests.ts';

/** A JSON Schema, as far as values are made for it. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

export interface FuzzedTool {
  readonly name: string;
  readonly inputSchema: Schema;
}

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly method: string;
  readonly params: Params;
}

const METHODS = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'notifications/initialized',
  'notifications/cancelled',
  'logging/setLevel',
  'resources/subscribe',
  'tasks/list',
  '__proto__',
  'constructor',
  '',
  'tools/call',
  'resources/read',
];
const TEXTS = [
  '',
  ' ',
  'a',
  '\u0000',
  '\ud800',
  '\u202e',
  '\u{1f600}',
  '__proto__',
  '%00',
  '..',
  'Aldern',
  '0x10',
  'a'.repeat(3_000),
  '-1',
  '1e309',
  "' or 1=1 --",
  '<script>',
  '{{x}}',
  'null',
  '2026-13-45',
];
const URIS = [
  'listing://',
  'property://',
  'area://',
  'watcher://',
  'file:///etc/passwd',
  '://',
  'LISTING://',
];

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 40 }));
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.integer(),
  fc.double(),
  fc.constantFrom<unknown>(null, true, Number.MAX_VALUE, '1'.repeat(400), []),
);

/** A value as the schema asks for it, or anything else. */
function fitting(schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const exact = { weight: 5, arbitrary: exactly(schema, ids) };
  return fc.oneof(exact, { weight: 1, arbitrary: anything });
}

function exactly(schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const { type, anyOf, items, properties } = schema;
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((each) => fitting(each, ids)));
  if (type === 'array') return fc.array(fitting(items ?? {}, ids), { maxLength: 4 });
  if (type === 'object') return objectOf(properties ?? {}, ids);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number')
    return fc.oneof(fc.integer({ min: -1, max: 3_000 }), fc.double());
  return fc.oneof(fc.constantFrom(...ids), text);
}

/** An object with some of these members, and now and then another. */
function objectOf(
  properties: Readonly<Record<string, Schema>>,
  ids: readonly string[],
): fc.Arbitrary<Params> {
  const members = Object.entries(properties).map(([name, schema]) =>
    fc.tuple(fc.constant(name), fitting(schema, ids)),
  );
  const other = fc.tuple(text, anything);
  const some = members.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...members), { maxLength: 4 });
  return fc
    .tuple(some, fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(other, { maxLength: 2 })))
    .map(([known, others]) => Object.fromEntries([...known, ...others]));
}

function messages(tools: readonly FuzzedTool[], ids: readonly string[]): fc.Arbitrary<Message> {
  const uri = fc
    .tuple(fc.constantFrom(...URIS), fc.oneof(fc.constantFrom(...ids), text))
    .map((parts) => parts.join(''));
  const calls = tools.map(({ name, inputSchema }) =>
    objectOf(inputSchema.properties ?? {}, ids).map((args) => ({
      method: 'tools/call',
      params: { name, arguments: args },
    })),
  );
  const name = fc.oneof(fc.constantFrom(...tools.map((tool) => tool.name)), text);
  const reference = fc.record({ type: fc.constantFrom('ref/resource', 'ref/prompt', 'x'), uri, name });
  const of = (method: string, params: fc.Arbitrary<Params>): fc.Arbitrary<Message> =>
    params.map((each) => ({ method, params: each }));
  return fc.oneof(
    { weight: 12, arbitrary: fc.oneof(...calls) },
    of('tools/call', fc.record({ name, arguments: anything })),
    of('resources/read', fc.record({ uri: fc.oneof(uri, anything) })),
    of(
      'completion/complete',
      fc.record({ ref: fc.oneof(reference, anything), argument: fc.record({ name: text, value: text }) }),
    ),
    of(
      'prompts/get',
      fc.record({
        name: fc.constantFrom('find_home', 'is_price_fair', 'watch_area', 'x'),
        arguments: anything,
      }),
    ),
    of(
      'subscriptions/listen',
      // Of things that do not exist: a stream that stays open is no answer that could be judged.
      fc.record({ notifications: fc.oneof(anything, fc.record({ resourceSubscriptions: fc.array(text) })) }),
    ),
    fc.tuple(fc.oneof(fc.constantFrom(...METHODS), text), anything).map(([method, value]) => ({
      method,
      params: (value ?? {}) as Params,
    })),
  );
}

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  ...['', '2025-06-18', '1999-01-01', '2026-07-28 ', 'x'.repeat(3_000), '\u00ff'].map((value) => ({
    'mcp-protocol-version': value,
  })),
  ...['', 'tools/list', 'x'.repeat(8_000), '=?base64?////?=', '\u00ff'].map((value) => ({
    'mcp-method': value,
  })),
  ...['', 'get_usage', '=?base64?', '=?base64?gICA?=', '%00', 'a'.repeat(9_000)].map((value) => ({
    'mcp-name': value,
  })),
  ...['', '*/*', 'application/json', 'text/event-stream', 'image/png', 'a/b;q='.repeat(900)].map(
    (accept) => ({
      accept,
    }),
  ),
  ...['text/plain', 'application/json; charset=utf-16', 'application/json;;', ''].map((value) => ({
    'content-type': value,
  })),
  ...['null', 'http://evil.example', 'http://localhost', 'http://[', '\u00ff'].map((origin) => ({ origin })),
  ...['', 'a'.repeat(4_000), '__proto__'].map((value) => ({ 'mcp-session-id': value })),
  ...['', '1'.repeat(4_000)].map((value) => ({ 'last-event-id': value })),
  { 'mcp-param-x': '=?base64?////?=' },
  { authorization: 'Bearer at_x' },
  { 'content-encoding': 'gzip' },
];

const BODIES: readonly string[] = [
  '[]',
  'null',
  '""',
  '{}',
  '[{}]',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '\u00ff',
  `[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(2_000)}{}]`,
  `${'['.repeat(60_000)}${']'.repeat(60_000)}`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
  `{"jsonrpc":"2.0","id":${'9'.repeat(100_000)},"method":"ping"}`,
  `{"jsonrpc":"2.0","id":"${'a'.repeat(500_000)}","method":"ping"}`,
  `{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list","params":[1]}`,
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"polluted":1},"constructor":1}}',
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_sales","arguments":{"q":"${'a '.repeat(200_000)}"}}}`,
];

/** Gives case after case: the same ones for the same seed, tools and material. */
export function createMcpFuzzer(
  tools: readonly FuzzedTool[],
  { key, ids }: Material,
  random: Random,
): () => FuzzCase {
  const arbitrary = messages(tools, ids);
  let prepared: Message[] = [];
  const nextMessage = (): Message => {
    if (prepared.length === 0)
      prepared = fc.sample(arbitrary, { numRuns: 500, seed: random.below(1_000_000_000) });
    return prepared.pop() ?? { method: 'ping', params: {} };
  };
  return () => {
    const { method, params } = nextMessage();
    const era = random.chance(0.7) ? 'modern' : 'initialize';
    const request = rpcRequest(method, asObject(params), { era, credential: key, id: random.below(1_000) });
    const body = random.chance(0.08) ? random.pick(BODIES) : spoiled(request.body, random);
    const changed = random.chance(0.35) ? random.pick(HEADERS) : {};
    const headers = {
      host: '127.0.0.1',
      connection: 'close',
      ...request.headers,
      ...changed,
      'x-forwarded-for': `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
      'content-length': String(Buffer.byteLength(body)),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const head = `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
    return { bytes: random.chance(0.1) ? bent(bytes, random) : bytes, open: false };
  };
}

/** Most bodies as they are; in some the envelope is of another revision, broken, or missing. */
function spoiled(body: string, random: Random): string {
  if (random.chance(0.8)) return body;
  return random.pick([
    () => body.replace(REVISIONS.modern, '2030-01-01'),
    () => body.replace('"jsonrpc":"2.0"', '"jsonrpc":2'),
    () => body.replace('clientCapabilities":{}', 'clientCapabilities":[1]'),
    () => body.replace('"_meta":', '"_meta":null,"x":'),
    () => body.replace('"_meta":{', '"_meta":{"progressToken":"p",'),
    () => body.replace(/"id":\d+,/, ''),
    () => body.slice(0, random.below(body.length)),
  ])();
}

function asObject(value: unknown): Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Params) : { value };
}
