// Server of node:http alone that keeps its responses open, and writes what is posted to each of them by one loop.

import { createServer } from 'node:http';
import type { Socket } from 'node:net';

const sockets = new Set<Socket>();

createServer((request, response) => {
  if (request.method === 'POST') {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const chunk = Buffer.concat(chunks);
      for (const socket of sockets) socket.write(chunk);
      response.end();
    });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('id: 1\n\n');
  const { socket } = request;
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
