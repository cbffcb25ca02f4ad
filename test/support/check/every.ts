// Statements about every member of a list, which never hold for an empty one: of nothing, everything would be true.

import assert from 'node:assert/strict';

/** Whether there are members, and the condition holds for each. */
export function isEvery<T>(members: readonly T[], holds: (member: T, at: number) => boolean): boolean {
  return members.length > 0 && members.every(holds);
}

/** Asserts that there are members, and that the condition holds for each. */
export function assertEvery<T>(
  members: readonly T[],
  holds: (member: T, at: number) => boolean,
  message = 'a member',
): void {
  assert.ok(members.length > 0, `${message}: there is none`);
  for (const [at, member] of members.entries())
    assert.ok(holds(member, at), `${message}: number ${at}, ${JSON.stringify(member)}`);
}
