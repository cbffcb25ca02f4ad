// URLs that lead to private addresses, openly or disguised.

import type { DocumentHosts } from './document-hosts.ts';

export interface HostileUrl {
  readonly url: string;
  /** What its name resolves to, where it has one that the test must answer for. */
  readonly answers?: readonly string[];
}

/** One or two addresses of every special range of IPv4. */
const INWARD_V4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.254',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.0.0.53',
  '127.255.255.254',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.170',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.254',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
];

/** The same of IPv6, and the forms that carry an IPv4 address. */
const INWARD_V6 = [
  '::',
  '::1',
  '::2',
  '::7f00:1',
  '::a9fe:a9fe',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '::ffff:a00:1',
  '::ffff:0:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '64:ff9b:1:7f00:0:100::',

  '100::1',
  '100:0:0:1::1',
  '200::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:1::1',
  '2001:2::1',
  '2001:3::1',

  '2001:4:112::1',
  '2001:10::1',
  '2001:20::1',
  '2001:30::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::',

  '2620:4f:8000::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'fec0::1',
  'ff02::1',
  'ff05::1',
  'e000::1',
];

/** Other ways to write 127.0.0.1, ::1 and 169.254.169.254 that some parser somewhere understands. */
const ENCODED = [
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7F000001',
  '0x7f.1',
  '0177.0.0.1',
  '0177.0.0.01',
  '127.1',
  '127.0.1',
  '0x7f.0x0.0x0.0x1',
  '0x7f.0.1',
  '00000177.0.0.1',
  '127.000.000.001',
  '127.0.0.1.',
  '127.1.',

  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '0',
  '0x0',
  '00',
  '0.0',

  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '0xa9.0xfe.0xa9.0xfe',
  '169.16689662',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:169.254.169.254]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[fe80::1%25lo]',
  '[fe80::1%lo]',
  '[::1%25lo]',
  '[::1]%00.example',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌocalhost',
  'LocalHost.LocalDomain',
  'app.localhost',
  'loopback',
  'ip6-localhost',
  '1.0.0.127.in-addr.arpa',
];

/** Every hostile address, aimed at this port. Hosts of documents serve the redirects among them. */
export function hostileUrls(port: number, hosts: DocumentHosts): readonly HostileUrl[] {
  // Those among them that are names to somebody resolve inwards, as they may in the wild.
  const answers = ['127.0.0.1'];
  const literals = [...INWARD_V4, ...INWARD_V6.map((address) => `[${address}]`), ...ENCODED];
  return [
    ...literals.map((host) => ({ url: `https://${host}:${port}/client.json`, answers })),
    ...named(port),
    ...disguised(port).map((url) => ({ url, answers: ['127.0.0.1'] })),
    ...redirects(port, hosts).map((url) => ({ url })),
  ];
}

/** Harmless names with inward addresses: alone, and among public ones, first and last. */
function named(port: number): readonly HostileUrl[] {
  const alone = [...INWARD_V4, ...INWARD_V6].map((address) => [address]);
  const mixed = ['127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1%lo', '10.0.0.1'].flatMap(
    (address) => [
      ['93.184.216.34', address],
      [address, '93.184.216.34'],
      ['2606:4700::1111', '93.184.216.34', address, '1.1.1.1'],
    ],
  );
  return [...alone, ...mixed].map((answers, number) => ({
    url: `https://n${number}.example:${port}/client.json`,
    answers,
  }));
}

/** Addresses that say one host to some readers and another to others. */
function disguised(port: number): readonly string[] {
  return [
    `https://good.example@127.0.0.1:${port}/c`,
    `https://127.0.0.1:${port}@d1.example:${port}/c`,
    `https://u:p@127.0.0.1:${port}/c`,
    `https://127.0.0.1:${port}#@good.example/c`,
    `https://127.0.0.1:${port}\\@good.example/c`,
    `https://good.example\\@127.0.0.1:${port}/c`,
    `https://127.0.0.1:${port}?@good.example/c`,
    `https://good.example%40127.0.0.1:${port}/c`,
    `https:127.0.0.1:${port}/c`,
    `https:/127.0.0.1:${port}/c`,
    `https:///127.0.0.1:${port}/c`,
    `https:\\\\127.0.0.1:${port}/c`,
    `https://\t127.0.0.1:${port}/c`,
    `https://127.0.0.1\n:${port}/c`,
    ` https://127.0.0.1:${port}/c`,
    `\u0000https://127.0.0.1:${port}/c`,
    `https://d2.example.:${port}/c`,

    `https://d3\u00ad.example:${port}/c`,
    `https://D4.example:${port}/c`,
    `https://d5.example:${port}/../c`,

    `https://d6.example:${port}/%2e%2e/c`,
    `https://d7.example:0${port}/c`,
    `https://d8.example:${port}/c#x`,
    `http://127.0.0.1:${port}/c`,
    `http://[::1]:${port}/c`,
    `HTTP://127.0.0.1:${port}/c`,
    `ftp://127.0.0.1:${port}/c`,
    `gopher://127.0.0.1:${port}/_x`,
    `ws://127.0.0.1:${port}/c`,

    `file:///etc/passwd`,
    `data:application/json,{}`,
    `blob:https://127.0.0.1:${port}/c`,
    `//127.0.0.1:${port}/c`,
    `jar:https://127.0.0.1:${port}!/c`,
    `https://[::1]:${port}:443/c`,
    `https://127.0.0.1 :${port}/c`,
    'https://127.0.0.1:0/c',
    'https://127.0.0.1:22/c',
    'https://169.254.169.254/latest/meta-data/',
  ];
}

/** Good hosts that send whoever asks on to where he must not go. */
function redirects(port: number, hosts: DocumentHosts): readonly string[] {
  const targets = ['127.0.0.1', '[::1]', '169.254.169.254', 'localhost', '2130706433', '[::ffff:127.0.0.1]'];
  return targets.flatMap((target, number) =>
    [301, 302, 303, 307, 308].map((status) =>
      hosts.put(
        `/${number}-${status}.json`,
        (_request, response) => {
          const location = `${status === 302 ? 'http' : 'https'}://${target}:${port}/client.json`;
          const headers = { location, refresh: `0; url=${location}`, 'content-location': location };
          response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end('{}');
        },
        `redirect${number}-${status}.example`,
      ),
    ),
  );
}
