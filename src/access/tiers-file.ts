// Owns reading the operator's own numbers for the tiers: a JSON file in which every fault is found at once.
import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Tier } from './principal.ts';
import { TIERS, type TierPlan, type Tiers } from './tiers.ts';

const MAXIMUM = { minute: 10_000_000, month: 2_000_000_000, page: 1_000, streams: 100_000 };

const PlanOverrides = Type.Partial(
  Type.Object({
    minute: Type.Union([Type.Integer({ minimum: 1, maximum: MAXIMUM.minute }), Type.Null()]),
    month: Type.Union([Type.Integer({ minimum: 1, maximum: MAXIMUM.month }), Type.Null()]),
    page: Type.Integer({ minimum: 1, maximum: MAXIMUM.page }),
    streams: Type.Integer({ minimum: 0, maximum: MAXIMUM.streams }),
    live: Type.Boolean(),
  }),
  { additionalProperties: false },
);

const TiersFile = Type.Partial(
  Type.Object({
    anonymous: PlanOverrides,
    free: PlanOverrides,
    pro: PlanOverrides,
    business: PlanOverrides,
    internal: PlanOverrides,
  }),
  { additionalProperties: false },
);

/** What each field may hold, in the words of the message about it. */
const EXPECTED: Readonly<Record<keyof TierPlan, string>> = {
  minute: `must be a whole number from 1 to ${MAXIMUM.minute}, or null for unlimited`,
  month: `must be a whole number from 1 to ${MAXIMUM.month}, or null for unlimited`,
  page: `must be a whole number from 1 to ${MAXIMUM.page}`,
  streams: `must be a whole number from 0 to ${MAXIMUM.streams}`,
  live: 'must be true or false',
};

/** Reads a tiers file and lays it over the built-in table; throws one Error that names every fault in it. */
export async function readTiersFile(path: string): Promise<Tiers> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`The tiers file ${path} cannot be read`, { cause });
  });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new Error(`The tiers file ${path} is not JSON`, { cause });
  }
  const faults = tiersFaults(content);
  if (faults.length > 0)
    throw new Error(`The tiers file ${path} has faults:\n${faults.map(indent).join('\n')}`);
  return overrideTiers(content as Static<typeof TiersFile>);
}

/** Every fault of a parsed tiers file as a sentence; empty when it is sound. */
export function tiersFaults(content: unknown): string[] {
  const faults = new Map<string, string>();
  for (const { instancePath, keyword } of Value.Errors(TiersFile, content)) {
    if (keyword === 'additionalProperties') continue; // Reported once more for each property by name.
    if (!faults.has(instancePath)) faults.set(instancePath, fault(instancePath, keyword));
  }
  return [...faults.values()];
}

function fault(path: string, keyword: string): string {
  const name = path.slice(1).replaceAll('/', '.');
  if (keyword === 'boolean') return `${name}: there is no such ${name.includes('.') ? 'number' : 'tier'}`;
  const field = name.slice(name.indexOf('.') + 1);
  const expected = Object.hasOwn(EXPECTED, field) ? EXPECTED[field as keyof TierPlan] : 'must be an object';
  return name === '' ? 'The file must hold one object, with a member for each tier' : `${name}: ${expected}`;
}

function overrideTiers(overrides: Static<typeof TiersFile>): Tiers {
  const entries = Object.entries(TIERS).map(([tier, plan]) => [
    tier,
    { ...plan, ...overrides[tier as Tier] },
  ]);
  return Object.fromEntries(entries) as Tiers;
}

function indent(line: string): string {
  return `  ${line}`;
}
