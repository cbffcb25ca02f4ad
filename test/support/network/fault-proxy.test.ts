// Proves that the proxy before a server delays, cuts and black-holes, and that what it held arrives in order.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { until } from '../check/until.ts';
import { atEnd, testDatabase } from '../database/database.ts';
import { startDatabaseFaultProxy, startFaultProxy } from './fault-proxy.ts';

/** A server that sends back what it is sent, behind a proxy. */
async function startEcho(t: TestContext) {
  const received: string[] = [];
  const ended: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('close', () => ended.push(socket));
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk.toString());
      socket.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(t, async () => void server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = await startFaultProxy(t, { host: '127.0.0.1', port });
  const open = () => {
    const socket = connect(proxy.port, proxy.host);
    let heard = '';
    const state = { isClosed: false };
    socket
      .on('error', () => {})
      .on('close', () => {
        state.isClosed = true;
      });
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
    });
    atEnd(t, async () => void socket.destroy());
    return { socket, state, heard: () => heard };
  };
  return { proxy, open, ended, received: () => received.join('') };
}

test('everything goes through, ends of connections included', async (t) => {
  const { proxy, open, ended } = await startEcho(t);
  const { socket, state, heard } = open();
  socket.end('one, two');
  await until('it comes back and ends', () => heard() === 'one, two' && state.isClosed);
  await until('the server knows', () => ended.length === 1 && proxy.connections === 0);
});

test('what is sent into a black hole arrives later, in order, and nobody is told meanwhile', async (t) => {
  const { proxy, open, ended, received } = await startEcho(t);
  const { socket, heard } = open();
  const leaving = open();
  socket.write('a');
  leaving.socket.write('.');
  await until('both are there', () => heard() === 'a' && leaving.heard() === '.');
  proxy.set('blackhole');
  socket.write('b');
  await until('it is held', () => proxy.held.requests === 1);
  socket.write('c');
  leaving.socket.destroy();
  const late = open();
  late.socket.write('d');
  await until('all is held', () => proxy.held.requests === 2 && proxy.connections === 3);
  assert.equal(ended.length, 0);
  assert.ok(!received().includes('b'));
  proxy.set('pass');
  await until('it arrives', () => heard() === 'abc' && late.heard() === 'd');
  await until('the end arrives', () => ended.length === 1);
});

test('requests arrive although no answer does', async (t) => {
  const { proxy, open, received } = await startEcho(t);
  const { socket, heard } = open();
  proxy.set('unanswered');
  socket.write('x');
  await until('it arrives, and its answer is held', () => received() === 'x' && proxy.held.answers === 1);
  assert.equal(heard(), '');
});

test('cut connections end, with what was held for them, and new ones are closed', async (t) => {
  const { proxy, open, received } = await startEcho(t);
  const before = open();
  before.socket.write('a');
  await until('it is open', () => before.heard() === 'a');
  proxy.set('blackhole');
  before.socket.write('lost');
  await until('it is held', () => proxy.held.requests === 4);
  proxy.set('cut');
  const after = open();
  await until('both end', () => before.state.isClosed && after.state.isClosed);
  proxy.set('pass');
  const again = open();
  again.socket.write('b');
  await until('a new one goes through', () => again.heard() === 'b');
  assert.equal(received(), 'ab');
});

test('a delay holds what is sent, and keeps its order when it becomes shorter', async (t) => {
  const { proxy, open } = await startEcho(t);
  const { socket, heard } = open();
  socket.write('a');
  await until('it is open', () => heard() === 'a');
  proxy.set({ delay: 200 });
  socket.write('b');
  await until('it is held', () => proxy.held.requests === 1);
  proxy.set({ delay: 1 });
  socket.write('c');
  await until('both arrive', () => heard() === 'abc');
});

test('a database answers through it', async (t) => {
  const { url } = await testDatabase(t);
  const proxy = await startDatabaseFaultProxy(t, url);
  const database = openDatabase({ url: proxy.url });
  atEnd(t, () => database.close(100));
  assert.deepEqual([...(await database.read((sql) => sql`select 1 as one`))], [{ one: 1 }]);
});
