// Agents and their offices, the same in every run.
import names from '../names/people.json' with { type: 'json' };
import { Random } from '../random.ts';

export const AGENTS = 420;
const OFFICES = names.offices.length;

export interface Agent {
  readonly key: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
  readonly email: string;
  readonly office: Office;
}

export interface Office {
  readonly key: string;
  readonly name: string;
  readonly phone: string;
  readonly email: string;
}

/** Numbers from the range set aside for fiction. */
const phone = (area: number, index: number): string =>
  `(${area}) 555-${String(100 + (index % 100)).padStart(4, '0')}`;

const offices: readonly Office[] = names.offices.map((name, index) => {
  const kind = names.officeKinds[index % names.officeKinds.length] ?? 'Realty';
  const host = `${name.toLowerCase().replace(/[^a-z]+/g, '')}.example`;
  return {
    key: `CSO${2000 + index}`,
    name: `${name} ${kind}`,
    phone: phone(957 + (index % 2), index),
    email: `office@${host}`,
  };
});

const agents: readonly Agent[] = Array.from({ length: AGENTS }, (_, index) => {
  const random = Random.of('agent', index);
  const office = offices[index % OFFICES];
  if (!office) throw new Error('Every agent has an office');
  const firstName = random.pick(names.first);
  const lastName = random.pick(names.last);
  const host = office.email.slice(office.email.indexOf('@') + 1);
  const email = `${firstName}.${lastName}@${host}`.toLowerCase();
  return {
    key: `CSA${30_000 + index * 3}`,
    firstName,
    lastName,
    phone: phone(956 + (index % 3), index * 7),
    email,
    office,
  };
});

export function agentOf(index: number): Agent {
  const agent = agents[index % agents.length];
  if (!agent) throw new Error('The market has agents');
  return agent;
}
