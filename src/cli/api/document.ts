// Operations of the API as openapi.json describes them, with the command that calls each.

import { readFileSync } from 'node:fs';
import COMMANDS from './commands.json' with { type: 'json' };

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly const?: string;
  readonly default?: string | number | boolean;
  readonly items?: Schema;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface Document {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With its placeholders, such as `/v1/areas/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | null;
  /** Media type of its answer; null: it has no body. */
  readonly answers: string | null;
  /** Whether it takes `If-Match`. */
  readonly isConditional: boolean;
}

interface Body {
  readonly isRequired: boolean;
  readonly types: readonly string[];
  /** Members of a body that is an object; empty for every other. */
  readonly members: Readonly<Record<string, Schema>>;
}

/** One command: the operation that it calls, and those that one of its options selects. */
export interface ApiCommand {
  /** Below `freehold api`: `search`, `sales`. */
  readonly words: readonly string[];
  readonly operation: Operation;
  /** Option, such as `csv` -> operation. */
  readonly variants: ReadonlyMap<string, Operation>;
}

/** The folder of the checkout, or build/ of the package: both have openapi.json. */
const FILE = new URL('../../../openapi.json', import.meta.url);

export function readDocument(): Document {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Document;
}

/** Every operation by its command. Throws where the table of commands lacks one, or has one that is not there. */
export function apiCommands(document: Document): ApiCommand[] {
  const schemas = document.components.schemas;
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, object]) => [
        object.operationId,
        operationOf(method.toUpperCase(), path, object, schemas),
      ]),
    ),
  );
  const commands = new Map<string, { operation?: Operation; variants: Map<string, Operation> }>();
  for (const [id, line] of Object.entries(COMMANDS)) {
    const operation = operations.get(id);
    if (operation === undefined) throw new Error(`commands.json has ${id}, which openapi.json lacks`);
    operations.delete(id);
    const [name = '', variant] = line.split(' --');
    const command: { operation?: Operation; variants: Map<string, Operation> } = commands.get(name) ?? {
      variants: new Map(),
    };
    if (variant === undefined) command.operation = operation;
    else command.variants.set(variant, operation);
    commands.set(name, command);
  }
  const [forgotten] = operations.keys();
  if (forgotten !== undefined) throw new Error(`commands.json lacks ${forgotten}`);
  return [...commands].map(([name, { operation, variants }]) => {
    if (operation === undefined) throw new Error(`${name} has no operation of its own`);
    return { words: name.split(' '), operation, variants };
  });
}

type Schemas = Readonly<Record<string, Schema>>;

function operationOf(method: string, path: string, object: OperationObject, schemas: Schemas): Operation {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = object;
  const success = Object.entries(responses).find(([status]) => /^2\d\d$/.test(status));
  return {
    id: operationId,
    method,
    path,
    summary,
    description,
    parameters,
    body: requestBody === undefined ? null : bodyOf(requestBody, schemas),
    answers: Object.keys(success?.[1].content ?? {})[0] ?? null,
    isConditional: '412' in responses,
  };
}

function bodyOf(
  { required = false, content }: NonNullable<OperationObject['requestBody']>,
  schemas: Schemas,
): Body {
  const types = Object.keys(content);
  const schema = Object.values(content)[0]?.schema;
  return { isRequired: required, types, members: schema === undefined ? {} : membersOf(schema, schemas) };
}

/** Members of an object, or of all kinds of objects that a body may be. */
function membersOf(schema: Schema, schemas: Schemas): Readonly<Record<string, Schema>> {
  const { $ref, oneOf, properties = {} } = schema;
  const named = $ref === undefined ? undefined : schemas[$ref.split('/').at(-1) ?? ''];
  if (named !== undefined) return membersOf(named, schemas);
  return Object.assign({}, ...(oneOf ?? []).map((kind) => membersOf(kind, schemas)), properties) as Record<
    string,
    Schema
  >;
}
