// Message as the SDK gets it: checked and rebuilt here, so that its validator has little to do and nothing to say.

import { Problem } from '../lib/problem.ts';
import { asObject, type Json, type Message } from './message.ts';

/** Members of objects and entries of lists in one message, at any depth. */
const MAX_MEMBERS = 2_000;
/** Characters of the name of a member. */
const MAX_NAME = 1_024;
/** Characters of ids, names of tools and prompts, and versions. */
const MAX_LABEL = 256;
/** Of the names in `_meta` that the protocol defines. */
const PREFIX = 'io.modelcontextprotocol/';
/** Characters of URIs and of values to complete. */
const MAX_TEXT = 2_048;

const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** Throws INVALID_REQUEST for what is no single message of JSON-RPC 2.0, or more than one may hold. */
export function checkMessage(body: unknown): void {
  checkSize(body);
  const { jsonrpc, id, method, params, ...others } = asObject(body);
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0".');
  if (id !== undefined && !isLabel(id))
    throw invalid(`id must be a whole number, or text of at most ${MAX_LABEL} characters.`);
  const unknown = Object.keys(others).filter((name) => !MEMBERS.has(name));
  if (unknown.length > 0) throw invalid('a message has the members jsonrpc, id, method and params alone.');
  if (method === undefined) return;
  if ('result' in others || 'error' in others) throw invalid('it is a request and a response at once.');
  if (typeof method !== 'string' || method.length > MAX_LABEL)
    throw invalid(`method must be text of at most ${MAX_LABEL} characters.`);
  if (typeof params !== 'object' && params !== undefined) throw invalid('params must be an object.');
  if (Array.isArray(params)) throw invalid('params must be an object.');
}

const invalid = (detail: string) =>
  new Problem('INVALID_REQUEST', `This is no message that /mcp takes: ${detail}`);

const isLabel = (value: unknown): value is string | number =>
  typeof value === 'string' ? value.length <= MAX_LABEL : Number.isSafeInteger(value);

function checkSize(root: unknown): void {
  let count = 0;
  for (const pending = [root]; pending.length > 0; ) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const names = Object.keys(value);
    count += names.length;
    if (count > MAX_MEMBERS) throw invalid(`it has more than ${MAX_MEMBERS} members and entries of lists.`);
    if (names.some((name) => name.length > MAX_NAME))
      throw invalid(`the name of a member has more than ${MAX_NAME} characters.`);
    pending.push(...Object.values(value));
  }
}

/**
 * The body for the SDK: params that its schema of the method takes, without what no handler reads. Throws INVALID_PARAMETER,
 * which names the member of params and what it must be.
 */
export function sdkBody(body: unknown, { method, params }: Message): Json {
  if (method === '') return asObject(body);
  const { jsonrpc, id } = asObject(body);
  const read = Object.hasOwn(READERS, method) ? READERS[method] : undefined;
  const meta = readMeta(params._meta);
  return {
    jsonrpc,
    ...(id !== undefined && { id }),
    method,
    params: { ...read?.(params), ...(meta !== undefined && { _meta: meta }) },
  };
}

const list = ({ cursor }: Json): Json => {
  // Some clients send what they have no value for.
  if (cursor === undefined || cursor === null || cursor === '') return {};
  throw fault('cursor', 'is not known: this list has one page. Leave it out');
};

/** Params by method; of others, none is read. */
const READERS: Readonly<Record<string, (params: Json) => Json>> = {
  initialize({ protocolVersion, clientInfo, _meta }) {
    // Versions with an envelope have no such method, which the SDK says.
    if (Object.hasOwn(asObject(_meta), `${PREFIX}protocolVersion`)) return {};
    return {
      protocolVersion: text('protocolVersion', protocolVersion, MAX_LABEL),
      clientInfo: implementation(clientInfo),
      capabilities: {},
    };
  },
  'tools/list': list,
  'prompts/list': list,
  'resources/list': list,
  'resources/templates/list': list,
  // The arguments are read by the tool.
  'tools/call': ({ name }) => ({ name: text('name', name, MAX_LABEL) }),
  'prompts/get': (params) => ({
    name: text('name', params.name, MAX_LABEL),
    arguments: texts('arguments', params.arguments),
  }),
  'resources/read': ({ uri }) => ({ uri: text('uri', uri, MAX_TEXT) }),
  'completion/complete': ({ ref, argument }) => ({ ref: reference(ref), argument: completed(argument) }),
  'subscriptions/listen': ({ notifications }) => ({ notifications: filter(notifications) }),
  'notifications/cancelled': ({ requestId }) => (isLabel(requestId) ? { requestId } : {}),
};

const fault = (name: string, detail: string) =>
  new Problem('INVALID_PARAMETER', `The member ${name} of params ${detail}.`, {
    errors: [{ pointer: `/params/${name.replaceAll('.', '/')}`, detail }],
  });

function text(name: string, value: unknown, max: number): string {
  if (typeof value === 'string' && value.length <= max) return value;
  throw fault(name, `must be text of at most ${max} characters`);
}

function object(name: string, value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw fault(name, 'must be an object');
}

/** Name and version of a client, which nothing here depends on. */
function implementation(value: unknown): Json {
  const { name, version } = asObject(value);
  const label = (given: unknown) => (typeof given === 'string' ? given.slice(0, MAX_LABEL) : '');
  return { name: label(name), version: label(version) };
}

/** An object of texts; numbers and booleans as texts, and null for what is left out. */
function texts(name: string, value: unknown): Record<string, string> {
  const entries = Object.entries(value == null ? {} : object(name, value));
  return Object.fromEntries(
    entries.flatMap(([member, given]) => {
      if (given === null) return [];
      if (typeof given === 'object') throw fault(`${name}.${member}`, 'must be text');
      return [[member, String(given)]];
    }),
  );
}

function reference(value: unknown): Json {
  const { type, name, uri } = object('ref', value);
  if (type === 'ref/prompt') return { type, name: text('ref.name', name, MAX_LABEL) };
  if (type === 'ref/resource') return { type, uri: text('ref.uri', uri, MAX_TEXT) };
  throw fault('ref.type', 'must be ref/prompt or ref/resource');
}

function completed(value: unknown): Json {
  const { name, value: prefix } = object('argument', value);
  return {
    name: text('argument.name', name, MAX_LABEL),
    value: text('argument.value', prefix, MAX_TEXT),
  };
}

const CHANGES = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

function filter(value: unknown): Json {
  const { resourceSubscriptions: uris = [], ...sent } = object('notifications', value);
  if (!Array.isArray(uris)) throw fault('notifications.resourceSubscriptions', 'must be a list of URIs');
  const changes = CHANGES.filter((name) => sent[name] === true).map((name) => [name, true]);
  return {
    ...Object.fromEntries(changes),
    resourceSubscriptions: uris.map((uri) => text('notifications.resourceSubscriptions', uri, MAX_TEXT)),
  };
}

/** What the SDK reads of `_meta`: the envelope of a modern request, whose absence it reports itself, and the progress token. */
function readMeta(value: unknown): Json | undefined {
  if (value === undefined || value === null) return undefined;
  const meta = object('_meta', value);
  const { progressToken } = meta;
  if (progressToken != null && !isLabel(progressToken))
    throw fault('_meta.progressToken', 'must be text or a whole number');
  const envelope: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(ENVELOPE)) {
    const key = `${PREFIX}${name}`;
    if (Object.hasOwn(meta, key)) envelope[key] = read(`_meta.${key}`, meta[key]);
  }
  return { ...envelope, ...(progressToken != null && { progressToken }) };
}

const ENVELOPE: Readonly<Record<string, (name: string, value: unknown) => unknown>> = {
  protocolVersion: (name, value) => text(name, value, MAX_LABEL),
  clientInfo: (name, value) => implementation(object(name, value)),
  clientCapabilities(name, value) {
    object(name, value);
    return {};
  },
};
