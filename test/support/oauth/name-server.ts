// Name server over UDP that returns the addresses a test gives, uncacheable.

import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { atEnd, type Closing } from '../database/database.ts';

export interface NameServer {
  /** For `nameServerLookup`. */
  readonly address: string;
  /** Number of queries for A records, by name. */
  readonly queries: Map<string, number>;
}

/** @param answer the addresses of a name, IPv4 and IPv6, at the nth question for its A records (from 0) */
export async function startNameServer(
  t: Closing,
  answer: (name: string, nth: number) => readonly string[],
): Promise<NameServer> {
  const queries = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const { name, end } = readName(question);
    const isV6 = question.readUInt16BE(end) === 28;
    const nth = queries.get(name) ?? 0;
    const addresses = answer(name, nth).filter((each) => isIPv6(each) === isV6);
    if (!isV6) queries.set(name, nth + 1);
    socket.send(reply(question, end + 4, addresses), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  atEnd(t, async () => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, queries };
}

function readName(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let size = question[at] ?? 0; size > 0; size = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + size).toLowerCase());
    at += 1 + size;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** The question, marked as answered, and a record with a TTL of 0 seconds for each address. */
function reply(question: Buffer, end: number, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8580, 2);
  head.writeUInt16BE(addresses.length, 6);
  // What the asker can do besides (EDNS) is left unanswered.
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...addresses.map(record)]);
}

function record(address: string): Buffer {
  const bytes = isIPv6(address) ? groupsOf(address) : Buffer.from(address.split('.').map(Number));
  const fixed = Buffer.from([0xc0, 12, 0, isIPv6(address) ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([fixed, bytes]);
}

function groupsOf(address: string): Buffer {
  const [before = '', after = ''] = address.split('::');
  const left = before === '' ? [] : before.split(':');
  const right = after === '' ? [] : after.split(':');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left;
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
