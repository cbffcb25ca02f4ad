// Proof that the OpenAPI document says what the specification demands, and has the form that generators of clients read.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PROBLEMS, type ProblemCode } from '../../src/lib/problem.ts';
import { startService } from '../support/service/service.ts';

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<
    Record<string, { readonly schema: Schema; readonly examples?: Readonly<Record<string, unknown>> }>
  >;
}
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
  readonly properties?: Readonly<Record<string, Schema & { readonly enum?: readonly string[] }>>;
  readonly additionalProperties?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Response>>;
}
interface Document {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: { readonly oauth: { readonly description: string } };
  };
}

const service = await startService({ after });
const document: Document = await service.json('/openapi.json');
const { paths, components } = document;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation,
    name: `${method.toUpperCase()} ${path}`,
  })),
);

function operationAt(path: string, method = 'get'): Operation {
  return paths[path]?.[method] ?? assert.fail(`${method} ${path} is not in the document`);
}

function followed<Part extends { readonly $ref?: string }>(
  parts: Readonly<Record<string, Part>>,
  part: Part,
): Part {
  return part.$ref === undefined
    ? part
    : (parts[part.$ref.split('/').at(-1) ?? ''] ?? assert.fail(part.$ref));
}

const responseAt = ({ responses }: Operation, status: number): Response =>
  followed(components.responses, responses[status] ?? assert.fail(`no ${status}`));

function codesAt(operation: Operation, status: number): readonly string[] {
  if (operation.responses[status] === undefined) return [];
  return Object.keys(responseAt(operation, status).content?.['application/problem+json']?.examples ?? {});
}

const bodyOf = ({ requestBody }: Operation): Schema => {
  const [content] = Object.values(requestBody?.content ?? {});
  return followed(components.schemas, content?.schema ?? assert.fail('no body'));
};

test('each good answer has one content, and the search one JSON schema', () => {
  for (const { operation, name } of operations)
    for (const [status, response] of Object.entries(operation.responses))
      if (status < '300') assert.ok(Object.keys(response.content ?? {}).length <= 1, `${name} ${status}`);
  const contentOf = (path: string) => operationAt(path).responses[200]?.content;
  for (const type of ['sales', 'rentals']) {
    const search = `/v1/search/${type}`;
    assert.deepEqual(contentOf(search), {
      'application/json': { schema: { $ref: '#/components/schemas/ListingList' } },
    });
    assert.deepEqual(contentOf(`${search}/export`), { 'text/csv': { schema: { type: 'string' } } });
    assert.deepEqual(contentOf(`${search}/ndjson`), {
      'application/x-ndjson': { schema: { type: 'string' } },
    });
    assert.deepEqual(Object.keys(contentOf(`${search}/geojson`) ?? {}), ['application/geo+json']);
  }
});

test('no schema has patternProperties, and maps say what their values are', () => {
  assert.equal(JSON.stringify(document).includes('patternProperties'), false);
  const { SearchStats, Facets } = components.schemas;
  assert.deepEqual(SearchStats?.additionalProperties, { $ref: '#/components/schemas/SearchFigure' });
  assert.deepEqual(Object.keys(Facets?.properties ?? {}).length, 9);
});

test('an event is one of five kinds, told apart by each of its types', () => {
  const { oneOf = [], discriminator } = components.schemas.Event ?? assert.fail();
  const types = oneOf.flatMap((kind) => {
    const { properties } = followed(components.schemas, kind);
    const names = properties?.type?.enum ?? assert.fail();
    for (const name of names) assert.equal(discriminator?.mapping[name], kind.$ref, name);
    return names;
  });
  assert.equal(oneOf.length, 5);
  assert.deepEqual(types.toSorted(), Object.keys(discriminator?.mapping ?? {}).toSorted());
});

test('no component is named like an operation, or like what generators make of one', () => {
  const ends = ['', 'params', 'body', 'response', 'responses', 'error', 'errors', 'data', 'result'];
  const made = new Set(
    operations.flatMap(({ operation }) => ends.map((end) => operation.operationId.toLowerCase() + end)),
  );
  const named = Object.keys(components.schemas).filter((name) => made.has(name.toLowerCase()));
  assert.deepEqual(named, []);
});

/** Tiers that the access table gives an operation: the first line that fits. */
const TIERS: readonly (readonly [path: RegExp, tiers: RegExp])[] = [
  [/^\/v1\/sources\//, /^Needs the token of the source, which reads nothing else/m],
  [/^\/v1\/listing\//, /^Tiers: Pro, Business, and Internal\. Others get 403 `TIER_RESTRICTED`\./m],
  [/^\/v1\/changes\b/, /^Tiers: Business and Internal\. Others get 403 `TIER_RESTRICTED`\./m],
  [/^\/v1\/(watchers|events|property|usage)\b/, /^Tiers: Free, Pro, Business, and Internal\./m],
  [
    /^\/v1\/(search|areas|market)\b/,
    /^Tiers: callers without credentials, Free, Pro, Business, and Internal\./m,
  ],
  [/^\//, /^Needs no credentials\.$/m],
];

test('each operation names the tiers that may call it', () => {
  for (const { path, name, operation } of operations) {
    const [, tiers] = TIERS.find(([fits]) => fits.test(path)) ?? assert.fail(name);
    assert.match(operation.description ?? '', tiers, name);
  }
});

test('codes stand at their statuses, in each operation that can answer them', () => {
  const KEYS = ['MISSING_API_KEY', 'INVALID_API_KEY', 'EXPIRED_API_KEY'];
  for (const { path, name, operation } of operations) {
    const isData = path.startsWith('/v1/');
    const at401 = codesAt(operation, 401);
    if (isData) for (const code of KEYS) assert.ok(at401.includes(code), `${name} ${code}`);
    const isRestricted = /^\/v1\/(listing|changes)\b/.test(path);
    if (isRestricted) assert.ok(codesAt(operation, 403).includes('TIER_RESTRICTED'), name);
    for (const status of Object.keys(operation.responses).map(Number))
      for (const code of codesAt(operation, status))
        assert.equal(PROBLEMS[code as ProblemCode][0], status, `${name} ${code}`);
  }
  for (const [status, code] of [
    [401, 'EXPIRED_API_KEY'],
    [403, 'TIER_RESTRICTED'],
  ] as const)
    assert.match(responseAt(operationAt('/v1/listing/{id}'), status).description ?? '', new RegExp(code));
});

test('the authorization request has its six parameters, and bodies of OAuth what each grant needs', () => {
  const { parameters = [] } = operationAt('/oauth/authorize');
  assert.deepEqual(
    parameters.filter(({ required }) => required).map(({ name }) => name),
    ['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method', 'state'],
  );
  const { oneOf = [] } = bodyOf(operationAt('/oauth/token', 'post'));
  assert.deepEqual(
    oneOf.map((grant) => followed(components.schemas, grant).required?.toSorted()),
    [
      ['client_id', 'code', 'code_verifier', 'grant_type', 'redirect_uri'],
      ['client_id', 'grant_type', 'refresh_token'],
    ],
  );
  assert.deepEqual(bodyOf(operationAt('/oauth/register', 'post')).required, ['redirect_uris']);
  assert.deepEqual(bodyOf(operationAt('/oauth/revoke', 'post')).required, ['token']);
});

test('the introduction has the limits without credentials, the four lifetimes, and what is recommended', () => {
  const { description } = document.info;
  for (const sentence of [
    /10 requests a minute and 100 a month for each IP address, and at most 10 results a page/,
    /authorization code lasts 5 minutes, an access token 1 hour, a refresh token 30 days, and the registration of a client 30 days/,
    /OAuth 2\.1 with PKCE \(S256\) is recommended for MCP clients and third-party applications/,
    /tiers are Free, Pro, Business and Internal/,
    /stream of a listing fetches it from its source once\. Watchers are for ongoing monitoring/,
    /cached for 10 minutes/,
  ])
    assert.match(description, sentence);
  assert.match(components.securitySchemes.oauth.description, /recommended for MCP clients and third-party/);
});

test('the stream says that it fetches once, what it sends when, and what watchers are for', () => {
  const { description = '', responses } = operationAt('/v1/listing/{id}');
  for (const words of [
    /source, once/,
    /watchers for ongoing monitoring/,
    /2 to 5 seconds/,
    /within 10 seconds/,
  ])
    assert.match(description, words);
  assert.deepEqual(Object.keys(responses[200]?.content ?? {}), ['text/event-stream']);
});
