// Routes of /control: move, change, break and count the sample, for tests on this machine.
import type { IncomingMessage } from 'node:http';
import { type Answer, json, readBody } from './answer.ts';
import {
  FAULT_KINDS,
  FAULT_RESOURCES,
  type Fault,
  type FaultSwitch,
  RETRY_AFTER,
  type RequestKind,
} from './faults.ts';
import { faultOfFieldSet } from './market/hand.ts';
import type { TokenDesk } from './token.ts';
import { readQuirks } from './vendors/quirks.ts';
import type { Vendor } from './vendors/vendor.ts';
import type { World } from './world.ts';

export interface ControlParts {
  readonly world: World;
  readonly tokens: TokenDesk;
  readonly faults: FaultSwitch;
  readonly requests: Readonly<Record<RequestKind, number>>;
  readonly vendor: Vendor | null;
}

type Body = Readonly<Record<string, unknown>>;

/** A refusal of what was sent: 400 and why. */
class Refused extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

const FAULT_MEMBERS = ['kind', 'status', 'latencyMs', 'retryAfter', 'share', 'resource'];
const MAX_STEPS = 10_000;
const MAX_LATENCY = 600_000;

export async function answerControl(
  request: IncomingMessage,
  path: string,
  parts: ControlParts,
): Promise<Answer> {
  try {
    if (!isLoopback(request.socket.remoteAddress)) throw new Refused('Only this machine may ask', 403);
    return await route(request, path, parts);
  } catch (error) {
    if (error instanceof Refused)
      return json(error.status, { error: { code: 'BadRequest', message: error.message } });
    throw error;
  }
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::1$|(?:::ffff:)?127\.)/.test(address);
}

async function route(request: IncomingMessage, path: string, parts: ControlParts): Promise<Answer> {
  const { world, tokens, faults, requests } = parts;
  switch (`${request.method} ${path}`) {
    case 'POST /control/advance': {
      const changed = world.advance(readSteps(await readObject(request, ['steps'])));
      return json(200, { steps: world.market.steps, changed });
    }
    case 'POST /control/change': {
      const body = await readObject(request, ['key', 'set']);
      const key = readKey(body);
      const set = readSet(body.set);
      return world.change(key, set) ? json(200, { key, modified: lastChange(world) }) : noListing(key);
    }
    case 'POST /control/remove': {
      const key = readKey(await readObject(request, ['key']));
      return world.remove(key) ? json(200, { key }) : noListing(key);
    }
    case 'POST /control/restore': {
      const key = readKey(await readObject(request, ['key']));
      return world.restore(key) ? json(200, { key, modified: lastChange(world) }) : noListing(key);
    }
    case 'POST /control/rekey': {
      const { key, to } = await readObject(request, ['key', 'to']);
      if (!world.rekey(String(key), String(to)))
        throw new Refused(`No listing ${key}, or one that is ${to}`, 404);
      return json(200, { key, to, modified: lastChange(world) });
    }
    case 'POST /control/expire-tokens':
      return json(200, { expired: tokens.expireAll() });
    case 'PUT /control/faults':
      faults.set(readFault(await readObject(request, FAULT_MEMBERS)));
      return json(200, faults.fault);
    case 'GET /control/faults':
      return json(200, faults.fault);
    case 'DELETE /control/faults':
      faults.set(null);
      return json(200, null);
    case 'PUT /control/quirks': {
      const quirks = readQuirks(await readObject(request, null));
      if (typeof quirks === 'string') throw new Refused(quirks);
      const vendor = vendorOf(parts);
      vendor.quirks = quirks;
      return json(200, quirks);
    }
    case 'POST /control/rename': {
      const { lookup, from, to } = await readObject(request, ['lookup', 'from', 'to']);
      const isRenamed = vendorOf(parts).lookups.rename(String(lookup), String(from), String(to));
      if (!isRenamed) throw new Refused(`No value ${from} of the lookup ${lookup}`, 404);
      return json(200, { lookup, from, to });
    }
    case 'POST /control/touch':
      return json(200, { touched: vendorOf(parts).touch() });
    case 'GET /control/quota': {
      const { peaks, refusals, isSuspended } = vendorOf(parts).quota;
      return json(200, { peaks: Object.fromEntries(peaks), refusals, isSuspended });
    }
    case 'GET /control/stats':
      return json(200, requests);
    default:
      throw new Refused(`There is no ${request.method} ${path}`, 404);
  }
}

function vendorOf({ vendor }: ControlParts): Vendor {
  if (vendor === null) throw new Refused('Start the sample with --vendor for this');
  return vendor;
}

const lastChange = (world: World): string => new Date(world.market.lastAt).toISOString();
const noListing = (key: string): Answer =>
  json(404, { error: { code: 'NotFound', message: `No listing ${key} to do this to` } });

/** The body as an object with no other than the known members; null: whatever they are. */
async function readObject(request: IncomingMessage, known: readonly string[] | null): Promise<Body> {
  // Pages of other sites cannot send this type without asking first, which keeps them out.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refused('Content-Type must be application/json', 415);
  const text = await readBody(request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refused('The body is not JSON');
  }
  if (!isObject(value)) throw new Refused('The body must be an object');
  const unknown = Object.keys(value).find((name) => known !== null && !known.includes(name));
  if (unknown !== undefined) throw new Refused(`${unknown} is not known; known: ${known?.join(', ')}`);
  return value;
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readSteps({ steps = 1 }: Body): number {
  if (typeof steps !== 'number' || !Number.isInteger(steps) || steps < 1 || steps > MAX_STEPS) {
    throw new Refused(`steps must be a whole number from 1 to ${MAX_STEPS}`);
  }
  return steps;
}

function readKey({ key }: Body): string {
  if (typeof key !== 'string' || key === '') throw new Refused('key must be a ListingKey');
  return key;
}

function readSet(set: unknown): Body {
  if (!isObject(set)) throw new Refused('set must be an object of RESO fields');
  const fault = faultOfFieldSet(set);
  if (fault) throw new Refused(fault);
  return set;
}

function readFault(body: Body): Fault {
  const {
    kind = null,
    status = null,
    latencyMs = 0,
    retryAfter = RETRY_AFTER,
    share = 1,
    resource = 'all',
  } = body;
  const knownKind = FAULT_KINDS.find((known) => known === kind);
  if (kind !== null && !knownKind) throw new Refused(`kind must be one of ${FAULT_KINDS.join(', ')}`);
  const knownResource = FAULT_RESOURCES.find((known) => known === resource);
  if (!knownResource) throw new Refused(`resource must be one of ${FAULT_RESOURCES.join(', ')}`);
  const latency = readNumber('latencyMs', latencyMs, 0, MAX_LATENCY);
  if (!knownKind && latency === 0) throw new Refused('A fault needs a kind, or latencyMs above 0');
  if ((kind === 'status') !== (status !== null))
    throw new Refused('status belongs to kind status, and that needs it');
  const code = status === null ? null : readNumber('status', status, 200, 599);
  if (code !== null && !Number.isInteger(code)) throw new Refused('status must be a whole number');
  return {
    kind: knownKind ?? null,
    status: code,
    latencyMs: latency,
    retryAfter: readNumber('retryAfter', retryAfter, 0, 3_600),
    share: readNumber('share', share, 0, 1),
    resource: knownResource,
  };
}

function readNumber(name: string, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number' || !(value >= least && value <= most))
    throw new Refused(`${name} must be a number from ${least} to ${most}`);
  return value;
}
