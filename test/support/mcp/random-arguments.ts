// Random arguments of MCP tools, valid and invalid, drawn from the schemas that the tools list.

import fc from 'fast-check';

/** A schema as `tools/list` shows it. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Values that mean something, by the name of the parameter. */
export type Pools = Readonly<Record<string, readonly (string | number)[]>>;

/** Arguments of a tool: those required most of the time, and a few others. */
export function randomArguments({ properties = {}, required = [] }: Schema, pools: Pools) {
  const names = Object.keys(properties);
  const optional = names.filter((name) => !required.includes(name));
  const value = (name: string) => anyValue(properties[name] ?? {}, pools[name]);
  const some =
    optional.length === 0
      ? fc.constant([])
      : fc.subarray(optional, { maxLength: Math.min(4, optional.length) });
  return fc
    .tuple(some, fc.subarray([...required], { minLength: Math.max(0, required.length - 1) }), fc.nat(9))
    .chain(([extra, few, dice]) => {
      const chosen = [...(dice === 0 ? few : required), ...extra];
      const unknown = dice === 1 ? { made_up: fc.constant('x') } : {};
      const entries = chosen.map((name) => [name, value(name)] as const);
      return fc.record({ ...Object.fromEntries(entries), ...unknown });
    });
}

function anyValue(schema: Schema, pool: readonly (string | number)[] = []): fc.Arbitrary<unknown> {
  const { type, items } = schema;
  if (type === 'array') return fc.array(anyValue(items ?? {}, pool), { minLength: 1, maxLength: 2 });
  if (pool.length > 0) return fc.constantFrom(...pool);
  const [option] = schema.anyOf ?? [];
  if (option !== undefined) return anyValue(option);
  if (schema.enum !== undefined) return mostly(fc.constantFrom(...schema.enum), fc.constant('bogus'));
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number')
    return mostly(fc.integer({ min: 1, max: 12 }), fc.constantFrom(-1, 0, 2.5, 400_000, 1e13));
  return fc.constantFrom('2026-01-01', 'P30D', 'garden', 'Eastmark', 'x'.repeat(300));
}

const mostly = <T, U>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<U>) =>
  fc.oneof({ arbitrary: usual, weight: 8 }, { arbitrary: rare, weight: 1 });
