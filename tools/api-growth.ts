// Comparison of two OpenAPI documents: what clients of the earlier one would miss in the later one, below /v1.

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** One sentence for each operation, parameter, accepted value or member that is gone, or has become required. */
export function lostParts(before: OpenApi, after: OpenApi): string[] {
  return Object.entries(before.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path}`;
        const present = after.paths[path]?.[method];
        if (present === undefined) return [`${name} is gone`];
        return [
          ...lostParameters(name, operation, present),
          ...lostInBody(name, membersOfBody(before, operation), membersOfBody(after, present)),
          ...lostInAnswers(name, { operation, document: before }, { operation: present, document: after }),
        ];
      }),
    );
}

function lostParameters(name: string, before: Operation, after: Operation): string[] {
  const known = (parameter: Parameter, { parameters = [] }: Operation) =>
    parameters.find((each) => each.name === parameter.name && each.in === parameter.in);
  const gone = (before.parameters ?? []).flatMap((parameter) => {
    const present = known(parameter, after);
    if (present === undefined) return [`${name}: the parameter ${parameter.name} is gone`];
    const [accepted, still] = [valuesOf(parameter.schema), valuesOf(present.schema)];
    const refused = still.length === 0 ? [] : accepted.filter((value) => !still.includes(value));
    return refused.map((value) => `${name}: ${parameter.name} no longer takes ${String(value)}`);
  });
  const demanded = (after.parameters ?? []).filter(
    (parameter) => parameter.required && known(parameter, before)?.required !== true,
  );
  return [
    ...gone,
    ...demanded.map((parameter) => `${name}: the parameter ${parameter.name} has become required`),
  ];
}

function valuesOf(schema: Schema | undefined): readonly unknown[] {
  return schema?.enum ?? schema?.items?.enum ?? [];
}

/** Path of a member, such as `data[].price` -> whether it is always there. */
type Members = ReadonlyMap<string, boolean>;

function lostInBody(name: string, before: Members, after: Members): string[] {
  const gone = [...before.keys()].filter((member) => !after.has(member));
  const demanded = [...after].filter(([member, isRequired]) => isRequired && before.get(member) !== true);
  return [
    ...gone.map((member) => `${name}: the body may no longer have ${member}`),
    ...demanded.map(([member]) => `${name}: the body needs ${member}, which it did not need`),
  ];
}

interface Described {
  readonly operation: Operation;
  readonly document: OpenApi;
}

function lostInAnswers(name: string, before: Described, after: Described): string[] {
  return Object.entries(before.operation.responses ?? {})
    .filter(([status]) => Number(status) < 400)
    .flatMap(([status, { content = {} }]) => {
      const present = after.operation.responses?.[status];
      if (present === undefined) return [`${name}: the answer ${status} is gone`];
      return Object.entries(content).flatMap(([type, { schema }]) => {
        const media = present.content?.[type];
        if (media === undefined) return [`${name}: the answer ${status} is no longer ${type}`];
        const [former, members] = [
          membersOf(before.document, schema),
          membersOf(after.document, media.schema),
        ];
        return [...former].flatMap(([member, wasCertain]) => {
          const isCertain = members.get(member);
          if (isCertain === undefined) return [`${name}: the answer has no ${member} any more`];
          return wasCertain && !isCertain ? [`${name}: the answer may lack ${member}`] : [];
        });
      });
    });
}

function membersOfBody(document: OpenApi, { requestBody }: Operation): Members {
  const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
  return new Map(schemas.flatMap((schema) => [...membersOf(document, schema)]));
}

/** Of alternatives a member is certain if all that have it say so. Schemas within themselves are read once. */
function membersOf(
  document: OpenApi,
  schema: Schema | undefined,
  path = '',
  open: readonly string[] = [],
): Members {
  const found = new Map<string, boolean>();
  if (schema === undefined) return found;
  const add = (members: Members) => {
    for (const [member, isRequired] of members) found.set(member, isRequired && (found.get(member) ?? true));
  };
  if (schema.$ref !== undefined) {
    if (open.includes(schema.$ref)) return found;
    const named = document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''];
    add(membersOf(document, named, path, [...open, schema.$ref]));
  }
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    add(membersOf(document, part, path, open));
  add(membersOf(document, schema.items, `${path}[]`, open));
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const own = path === '' ? name : `${path}.${name}`;
    found.set(own, (schema.required?.includes(name) ?? false) && (found.get(own) ?? true));
    add(membersOf(document, member, own, open));
  }
  return found;
}
