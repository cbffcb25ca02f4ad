// Tests of what surrounds the guard of HTTP that goes out: names, certificates, and which server is reached.

import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { type Leaf, newAuthority } from '../../test/support/oauth/certificates.ts';
import { manualClock } from '../../test/support/service/clock.ts';
import { isPublicAddress } from './ip-address.ts';
import { createOutbound, type OutboundOptions } from './outbound.ts';
import { OutboundFailure } from './outbound-failure.ts';

/** A server that answers with the name it was asked for in the handshake; gives its port. */
async function serve(t: TestContext, leaf: Leaf): Promise<number> {
  const server = createServer({ ...leaf }, (request, response) => {
    response.end(String((request.socket as TLSSocket).servername));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function ask(t: TestContext, url: string, options: Partial<OutboundOptions>): Promise<string> {
  const outbound = createOutbound({ clock: manualClock(), ...options });
  t.after(() => outbound.close());
  try {
    return String((await outbound.send({ url, deadlineMs: 5_000, maxBytes: 1_000 })).body);
  } catch (error) {
    assert.ok(error instanceof OutboundFailure, String(error));
    return error.kind;
  }
}

const answering =
  (...addresses: readonly string[]): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

/** The guard of the service, a public address for every name, and the test's server in the place of that address. */
const PUBLIC = { allowAddress: isPublicAddress, connectTo: () => '127.0.0.1' };

test('certificates are checked against the name, which the server is told in the handshake', async (t) => {
  const authority = newAuthority();
  const port = await serve(t, authority.leaf('client.example'));
  const options = { ...PUBLIC, lookup: answering('93.184.216.34'), certificateAuthorities: [authority.cert] };
  assert.equal(await ask(t, `https://client.example:${port}/`, options), 'client.example');
  assert.equal(await ask(t, `https://other.example:${port}/`, options), 'tls');
  const { certificateAuthorities: _, ...untrusting } = options;
  assert.equal(await ask(t, `https://client.example:${port}/`, untrusting), 'tls');
});

test('private authorities are trusted besides those of the system', async (t) => {
  const before = getCACertificates('default');
  t.after(() => setDefaultCACertificates(before));
  const [system, own] = [newAuthority('System'), newAuthority('Own')];
  setDefaultCACertificates([system.cert]);
  const options = { ...PUBLIC, lookup: answering('93.184.216.34'), certificateAuthorities: [own.cert] };
  for (const authority of [system, own]) {
    const port = await serve(t, authority.leaf('client.example'));
    assert.equal(await ask(t, `https://client.example:${port}/`, options), 'client.example');
  }
});

test('a server in the place of a public address changes nothing about which addresses are public', async (t) => {
  const authority = newAuthority();
  const port = await serve(t, authority.leaf('client.example'));
  const url = `https://client.example:${port}/`;
  for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['2606:4700::1111', '::1'], []]) {
    const options = { ...PUBLIC, lookup: answering(...addresses), certificateAuthorities: [authority.cert] };
    assert.equal(await ask(t, url, options), 'forbidden_address', addresses.join());
  }
});

test('a hostile answer of thousands of addresses is checked to its end', async (t) => {
  const many = Array.from({ length: 4_000 }, (_, number) => `8.${number >> 8}.${number & 255}.1`);
  const options = { ...PUBLIC, lookup: answering(...many, '127.0.0.1') };
  assert.equal(await ask(t, 'https://client.example/', options), 'forbidden_address');
});
