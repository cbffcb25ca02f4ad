// The operator's own name on every page: name, logo, accent and legal lines.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { authorizationRequest } from '../support/oauth/authorize.ts';
import { startService } from '../support/service/service.ts';

const LOGO = join(import.meta.dirname, '../../docs/images/logo.svg');
const service = await startService(
  { after },
  {
    environment: {
      SITE_NAME: 'Elm <Homes>',
      SITE_LOGO: LOGO,
      SITE_ACCENT: '#7A2E5D',
      SITE_LEGAL: 'Imprint=https://elm.example/imprint; Figures without warranty.',
    },
  },
);
const consent = `/oauth/authorize?${new URLSearchParams(authorizationRequest().parameters)}`;

const open = (path: string) => fetch(`${service.url}${path}`, { headers: { accept: 'text/html' } });

for (const path of [
  '/',
  '/docs/limits',
  '/billing',
  '/account',
  '/oauth/grants',
  '/nothing',
  consent,
  '/explore',
  '/explore/market',
])
  test(`${path.slice(0, 20)} carries the name, logo, accent and legal lines of the operator`, async () => {
    const answer = await open(path);
    const text = await answer.text();
    assert.match(text, /<title>[^<]* · Elm &lt;Homes&gt;<\/title>/);
    const [, logo = ''] = /<img src="([^"]*logo-[0-9a-f]{16}\.svg)"/.exec(text) ?? [];
    assert.equal((await fetch(new URL(logo, answer.url))).status, 200, logo);
    assert.match(answer.headers.get('content-security-policy') ?? '', /img-src [^;]*'self'/);
    assert.ok(text.includes(':root{--accent:#7A2E5D}'));
    assert.ok(text.includes('<a href="https://elm.example/imprint">Imprint</a>'));
    assert.ok(text.includes('Figures without warranty.'));
  });

test('the logo is served for long, and opened by itself may do nothing', async () => {
  const [, logo = ''] = /<img src="(logo-[^"]*)"/.exec(await (await open('/')).text()) ?? [];
  const answer = await fetch(`${service.url}/${logo}`);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), readFileSync(LOGO));
  assert.equal(answer.headers.get('content-type'), 'image/svg+xml');
  assert.match(answer.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none';.* sandbox/);
  assert.equal((await fetch(`${service.url}/logo-0000000000000000.svg`)).status, 404);
});
