// Proves that an address cannot be forged, and that public means public.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressGroup,
  addressReader,
  isPublicAddress,
  isWithin,
  parseNetworkPort,
  parseNetworks,
} from './ip-address.ts';

test('without trusted proxies the socket decides, whatever is forwarded', () => {
  const read = addressReader([]);
  assert.equal(read('203.0.113.9', '198.51.100.1'), '203.0.113.9');
  assert.equal(read('::ffff:203.0.113.9', undefined), '203.0.113.9');
  assert.equal(read('2001:DB8:0:0::1', undefined), '2001:db8::1');
  assert.equal(read(undefined, '198.51.100.1'), 'unknown');
});

test('forwarded addresses are counted from the right, as far as proxies are trusted', () => {
  const read = addressReader(['10.0.0.0/8', '2001:db8:ffff::/48']);
  assert.equal(read('10.0.0.1', '198.51.100.1, 203.0.113.9'), '203.0.113.9');
  assert.equal(read('10.0.0.1', '198.51.100.1, 203.0.113.9, 10.0.0.2'), '203.0.113.9');
  assert.equal(read('::ffff:10.0.0.1', '198.51.100.1'), '198.51.100.1');
  assert.equal(read('2001:db8:ffff::1', '::ffff:198.51.100.1'), '198.51.100.1');
  assert.equal(read('203.0.113.9', '198.51.100.1'), '203.0.113.9');
  assert.equal(read('10.0.0.1', undefined), '10.0.0.1');
  assert.equal(read('10.0.0.1', '10.0.0.3, 10.0.0.2'), '10.0.0.3');
});

test('a forwarded text that is no address counts for nothing, and nothing left of it does', () => {
  const read = addressReader(['10.0.0.0/8']);
  for (const forged of [
    '198.51.100.1, unknown',
    '198.51.100.1, ',
    '198.51.100.1, 0x7f.1',
    '198.51.100.1, 0177.0.0.1',
  ])
    assert.equal(read('10.0.0.1', forged), '10.0.0.1', forged);
});

test('a port behind a forwarded address is left out', () => {
  const read = addressReader(['10.0.0.0/8']);
  assert.equal(read('10.0.0.1', '198.51.100.1:4711'), '198.51.100.1');
  assert.equal(read('10.0.0.1', '[2001:db8::1]:4711'), '2001:db8::1');
});

test('IPv6 is grouped by /64, or /48 where that is asked, IPv4 by address', () => {
  assert.equal(addressGroup('2001:db8:1:2::1', 48), addressGroup('2001:db8:1:3::1', 48));
  assert.notEqual(addressGroup('2001:db8:1:2::1', 48), addressGroup('2001:db8:2:2::1', 48));
  assert.equal(addressGroup('198.51.100.1', 48), '198.51.100.1');
  assert.equal(addressGroup('2001:db8:1:2:aaaa::1'), addressGroup('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  assert.notEqual(addressGroup('2001:db8:1:2::1'), addressGroup('2001:db8:1:3::1'));
  assert.equal(addressGroup('2001:db8:1:2::1'), '2001:db8:1:2::/64');
  assert.equal(addressGroup('203.0.113.9'), '203.0.113.9');
  assert.equal(addressGroup('::ffff:203.0.113.9'), '203.0.113.9');
});

test('networks hold what lies in them; a wrong entry is named', () => {
  const networks = parseNetworks(['10.0.0.0/8', '::1', '::ffff:192.168.0.0/112']);
  assert.ok(
    isWithin('10.255.0.1', networks) && isWithin('::1', networks) && isWithin('192.168.7.7', networks),
  );
  assert.ok(!isWithin('11.0.0.1', networks) && !isWithin('::2', networks) && !isWithin('nonsense', networks));
  assert.throws(() => parseNetworks(['10.0.0.0/8', 'local']), /local is neither/);
});

const inward = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',

  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',

  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '5f00::1',
  'nonsense',
  '',
  '1',
  '0x7f000001',
  '127.1',

  '::8.8.8.8',
  '::808:808',
  '1::',
  '100:0:0:1::1',
  '400::1',
  '4000::1',
  'e000::1',
  '2606:4700::1111%eth0',
];
for (const address of inward) {
  test(`${address || 'an empty text'} is not a public address`, () =>
    assert.equal(isPublicAddress(address), false));
}

test('ordinary addresses are public', () => {
  for (const address of [
    '1.1.1.1',
    '93.184.216.34',
    '100.128.0.1',
    '172.32.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ])
    assert.ok(isPublicAddress(address), address);
});

test('a network with a port is read in both families, and one without is refused', () => {
  assert.deepEqual(parseNetworkPort('10.0.0.0/8:8443'), { network: '10.0.0.0/8', port: 8443 });
  assert.deepEqual(parseNetworkPort('127.0.0.1:9000'), { network: '127.0.0.1', port: 9000 });
  assert.deepEqual(parseNetworkPort('[fd00::1]:443'), { network: 'fd00::1', port: 443 });
  assert.deepEqual(parseNetworkPort('fd00::/8:443'), { network: 'fd00::/8', port: 443 });
  for (const bad of [
    '10.0.0.0/8',
    ':80',
    '10.0.0.1:',
    '10.0.0.1:0',
    '10.0.0.1:65536',
    'host:80',
    '[::1]',
    '*:80',
    '',
  ])
    assert.throws(() => parseNetworkPort(bad), RangeError, bad);
});
