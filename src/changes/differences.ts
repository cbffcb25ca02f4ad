// Differences between two JSON values.

/** Whether two JSON values are the same; a member that is undefined counts as absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && isSameList(a, b);
  return differingNames(a, b).length === 0;
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, at) => isSameJson(value, b[at]));

/** Names of the members in which two objects differ. */
export function differingNames(a: object, b: object): string[] {
  const [before, after] = [a, b] as readonly [Members, Members];
  const names: string[] = [];
  for (const name in after) if (!isSameJson(before[name], after[name])) names.push(name);
  for (const name in before) if (!(name in after) && before[name] !== undefined) names.push(name);
  return names;
}

type Members = Readonly<Record<string, unknown>>;

/** The members of `before` that differ from those of `after`. */
export function differingMembers<T extends object>(before: T, after: T): Partial<T> {
  const names = differingNames(before, after).filter((name) => name in before);
  return Object.fromEntries(names.map((name) => [name, before[name as keyof T]])) as Partial<T>;
}
