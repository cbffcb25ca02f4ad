// Comparison of answers of two backends: the same, but for the last digits of numbers that they computed in another order.

/** Share of a number by which two computations of it may differ. */
const TOLERANCE = 1e-9;

export function isSameAnswer(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return isSameNumber(one, other);
  if (one instanceof Map && other instanceof Map)
    return isSameAnswer([...one].sort(byKey), [...other].sort(byKey));
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isSameAnswer(value, other[at]));
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  const [a, b] = [one, other] as readonly Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSameAnswer(a?.[name], b?.[name]));
}

const byKey = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1);

function isSameNumber(one: number, other: number): boolean {
  return (
    Object.is(one, other) || Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other))
  );
}
