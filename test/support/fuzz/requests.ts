// Random requests made from the OpenAPI document, bent in every part, and bytes that are no HTTP.

import type { Random } from '../check/random.ts';

export interface FuzzCase {
  readonly bytes: Buffer;
  /** Whether our side of the connection stays open behind the bytes, as a client's does that goes on sending. */
  readonly open: boolean;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema?: Schema;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Operation {
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

export interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
}

export interface Material {
  readonly key: string;
  readonly ids: readonly string[];
}

const ODD_METHODS = [
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
  'QUERY',
  'get',
  'X',
];
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1e309',
  '9'.repeat(400),
  '0x10',
  'NaN',
  'Infinity',
  '1.',
  '.5',
  '00',
  '٣',
  '1_0',
];
export const TEXTS = [
  '',
  '%',
  '%0',
  '%00',
  '%FF',
  '%C0%AF',
  '%ED%A0%80',
  '%F4%90%80%80',
  '+',
  '..',
  '../..',
  '%2e%2e%2f',
  '*',
  ';',

  "'",
  "' or 1=1--",
  '\\',
  '__proto__',
  'constructor',
  'toString',
  '{}',
  '[]',
  'null',
  '\u202e',
  '🏠',
  '﷽',
  'a'.repeat(4_000),
  'a,'.repeat(2_000),
  '('.repeat(2_000),
  '-'.repeat(3_000),
  '%25'.repeat(1_000),
  '2026-02-30',
  '9999-12-31T23:59:59Z',
  'P9999Y',
  '-180,-90,180,90',
  '0,0;0,0;0,0',
  '1,1;'.repeat(300),
];
export const HEADERS = [
  'Accept: */*;q=0',
  'Accept: text/event-stream',
  'Accept: a/b;q=',
  `Accept: ${'a/b,'.repeat(900)}`,
  'If-None-Match: *',
  `If-None-Match: ${'"a",'.repeat(900)}`,
  'If-None-Match: "',
  'Range: bytes=0-0',
  'Expect: 100-continue',
  'Expect: x',
  'Upgrade: h2c',
  'Connection: upgrade',
  'Upgrade: websocket',
  'Content-Type: application/json',
  'Content-Type: ;',
  'Content-Encoding: gzip',
  'Content-Length: 0',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked, identity',

  'Transfer-Encoding: xchunked',
  'Content-Length: 3\r\nTransfer-Encoding: chunked',
  'Cookie: __proto__=1',

  'X-Forwarded-For: , ,',
  `X-Forwarded-For: ${'127.0.0.1,'.repeat(900)}`,
  'X-Forwarded-For: ::::',
  'TE: trailers',

  ' Folded: a',
  'A: b\r\n folded',
  'A\u0000: b',
  'A: \u0001',
  'A : b',
  ': b',
  '__proto__: x',
  'A: \u00ff\u00fe',

  'Host: a\r\nHost: b',
  'Host: ',
  'Host: a/b?c',
  'Authorization: ',
  'Authorization: Bearer',
  'Authorization: x y',

  `Authorization: Bearer ${'a'.repeat(8_000)}`,
  'Authorization: Bearer SERVICE-x',
  `B: ${'b'.repeat(17_000)}`,
  `${'C'.repeat(300)}: c`,
  ...[200, 3_000].map((count) => 'D: d\r\n'.repeat(count).trimEnd()),
];
const BODIES = [
  '{}',
  '[',
  '{"a":'.repeat(5_000),
  '['.repeat(50_000),
  '{"__proto__":{"polluted":1}}',
  '\u0000',
  'a=b',

  '{"constructor":{"prototype":{"polluted":1}}}',
  '5\r\nhello\r\n0\r\n\r\n',
  'FFFFFFFFFFFFFFFF\r\n',
  '-1\r\n\r\n',
];
const RAW = [
  '\r\n\r\n',
  '\u0000'.repeat(100),
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET /\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',

  'GET  / HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET / HTTP/1.1\nHost: x\n\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001',

  'GET http:// HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',

  'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\nabc',
  'GET //// HTTP/1.0\r\n\r\n',
  'GET /\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n',
  `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50),
  'POST /v1/areas HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\n\r\n',
];

/** Gives case after case: the same ones for the same seed, document and material. */
export function createFuzzer(document: Document, material: Material, random: Random): () => FuzzCase {
  const operations: readonly Operation[] = Object.entries(document.paths).map(([path, { get }]) => ({
    path,
    parameters: get?.parameters ?? [],
  }));
  return () => {
    const bytes = random.chance(0.06)
      ? Buffer.from(random.pick(RAW), 'latin1')
      : requestFor(random.pick(operations), material, random);
    return { bytes: random.chance(0.2) ? bent(bytes, random) : bytes, open: random.chance(0.02) };
  };
}

function requestFor(operation: Operation, material: Material, random: Random): Buffer {
  const path = operation.path.replace('{id}', () =>
    random.chance(0.6) ? random.pick(material.ids) : encoded(random.pick(TEXTS), random),
  );
  const names = operation.parameters.filter((each) => each.in === 'query');
  const most = names.length > 0 || random.chance(0.2) ? random.pick([0, 0, 1, 1, 1, 2, 2, 8]) : 0;
  const pairs = Array.from({ length: most }, () => pairOf(names, random));
  const lines = [
    `${random.chance(0.85) ? 'GET' : random.pick(ODD_METHODS)} ${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''} HTTP/1.1`,
    'Host: fuzz',
    `X-Forwarded-For: 10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
    ...(random.chance(0.6) ? [`Authorization: Bearer ${material.key}`] : []),
    ...(random.chance(0.9) ? ['Connection: close'] : []),
    ...Array.from({ length: random.pick([0, 0, 0, 0, 0, 0, 1, 2]) }, () => random.pick(HEADERS)),
  ];
  const body = random.chance(0.1) ? random.pick(BODIES) : '';
  const length = body !== '' && random.chance(0.7) ? [`Content-Length: ${body.length}`] : [];
  return Buffer.from(`${[...lines, ...length].join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

function pairOf(parameters: readonly Parameter[], random: Random): string {
  if (parameters.length === 0 || random.chance(0.1)) return `${encoded(random.pick(TEXTS), random)}=1`;
  const { name, schema } = random.pick(parameters);
  const value = random.chance(0.55)
    ? fitting(schema ?? {}, random)
    : random.pick(random.pick([TEXTS, NUMBERS]));
  return `${name}=${encoded(value, random)}`;
}

/** A value as the schema asks for it, or nearly. */
function fitting(schema: Schema, random: Random): string {
  if (schema.anyOf !== undefined && schema.anyOf.length > 0)
    return fitting(random.pick(schema.anyOf), random);
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined && schema.enum.length > 0) return String(random.pick(schema.enum));
  if (schema.type === 'array')
    return `${fitting(schema.items ?? {}, random)},${fitting(schema.items ?? {}, random)}`;
  if (schema.type === 'boolean') return random.pick(['true', 'false']);
  if (schema.type === 'integer' || schema.type === 'number') {
    const [least, most] = [schema.minimum ?? 0, schema.maximum ?? 1_000];
    return String(random.pick([least, most, least - 1, most + 1, Math.round((least + most) / 2)]));
  }
  return random.pick(['Aldern', 'main', '2026-01-01', 'P7D', '41,-73', '-74,40,-72,42', 'a b']);
}

function encoded(text: string, random: Random): string {
  return random.chance(0.5) && !text.includes('%') ? encodeURIComponent(text) : text.replaceAll(' ', '+');
}

/** The bytes with a few changes: turned, taken out, put in, repeated, cut off. */
export function bent(bytes: Buffer, random: Random): Buffer {
  let result = bytes;
  for (let change = random.below(4); change >= 0; change--) {
    const at = random.below(result.length + 1);
    const to = Math.min(result.length, at + random.below(40));
    const [head, middle, tail] = [result.subarray(0, at), result.subarray(at, to), result.subarray(to)];
    const put = random.pick(['\r\n', '\n', '\0', ' ', ':', '%', '\u00ff', '\r\n\r\n', '0', ',', '?', '#']);
    const parts = random.pick([
      () => [head, tail],
      () => [head, Buffer.from(put, 'latin1'), middle, tail],
      () => [head, middle, middle, middle, tail],
      () => [head, middle.map((byte) => byte ^ (1 << random.below(8))), tail],
      () => [head],
    ])();
    result = Buffer.concat(parts);
  }
  return result;
}
