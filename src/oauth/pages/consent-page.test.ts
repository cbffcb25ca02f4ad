// Tests of the consent page: it shows everything a careful person needs, and no client can change what it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textOf } from '../../../test/support/browser/page-text.ts';
import { TIERS } from '../../access/tiers/tiers.ts';
import { type ConsentView, renderConsent } from './consent-page.ts';

const VIEW: ConsentView = {
  publicUrl: 'https://api.example',
  client: { kind: 'registered', id: 'client-1', name: 'Harbor Notebook' },
  redirectUri: 'https://notebook.example/callback?from=here',
  localOnly: false,
  scopes: ['listings:read', 'listings:live'],
  resources: ['https://api.example', 'https://api.example/mcp'],
  tiers: TIERS,
  transaction: 'signed.request',
  fault: null,
};

const page = (changed: Partial<ConsentView> = {}) => renderConsent({ ...VIEW, ...changed });

/** Whatever begins like a tag, with the names of its attributes: what the page is made of, whatever its texts are. */
function skeleton(html: string): string[] {
  return [...html.matchAll(/<([^>]*)/g)].map(([, tag = '']) => tag.replaceAll(/="[^"]*"/g, ''));
}

test("CP1: the page shows the name as the app's own word, its id, where the browser goes next, the scopes and the resources", () => {
  const text = textOf(page());
  assert.match(text, /App Harbor Notebook The app chose this name itself\. It is not verified\./);
  assert.match(text, /Registered here by itself, as client-1/);
  assert.match(text, /Takes you to notebook\.example /);
  assert.match(text, /Search and read listings, properties, areas and market statistics listings:read/);
  assert.match(text, /\(from the Pro tier on\) listings:live/);
  assert.ok(!text.includes('Manage watchers'));
  assert.match(text, /At https:\/\/api\.example https:\/\/api\.example\/mcp/);
  assert.match(
    text,
    /Continue only if you came here from it, and expect to be taken to notebook\.example \./,
  );
});

test('CP1: a client known by its document is named by the host of the document', () => {
  const client = { kind: 'document', id: 'https://apps.example/client.json', name: null } as const;
  const text = textOf(page({ client }));
  assert.match(text, /App No name Described by apps\.example , at https:\/\/apps\.example\/client\.json/);
});

test('CP1: where all redirects stay on this computer, the page warns of an unverified app on this computer', () => {
  const client = { kind: 'unregistered', id: 'my-script', name: null } as const;
  const text = textOf(page({ client, redirectUri: 'http://127.0.0.1:5123/back', localOnly: true }));
  assert.match(text, /Unverified app on this computer\./);
  assert.match(text, /Not registered here\. It calls itself my-script/);
  assert.match(text, /Takes you to 127\.0\.0\.1:5123 A program on this computer\./);
  assert.ok(!textOf(page()).includes('on this computer'));
});

test('CP1: a redirect that an app on the device opens is called so, and hosts are written in ASCII', () => {
  assert.match(
    textOf(page({ redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback' })),
    /Takes you to cursor: An app on this device/,
  );
  assert.match(
    textOf(page({ redirectUri: 'https://аpple.example/cb' })),
    /Takes you to xn--pple-43d\.example/,
  );
});

test('CP1: the tiers stand there with the numbers in force', () => {
  const tiers = { ...TIERS, free: { ...TIERS.free, minute: 61, month: 61_234 } };
  const text = textOf(page({ tiers }));
  assert.match(text, /The Free tier: 61 requests a minute and 61,234 requests a month/);
  assert.match(
    text,
    /Free 61 61,234 no Pro 300 50,000 yes Business 1,200 500,000 yes Internal unlimited unlimited yes/,
  );
});

test('CP2: whatever a client calls itself, the page is made of the same tags and attributes', () => {
  const hostile = (text: string) => ({
    client: { kind: 'registered' as const, id: text, name: `a${text}` },
    transaction: text,
  });
  const expected = skeleton(page(hostile('x')));
  assert.ok(expected.length > 60);
  for (const name of [
    '"><script>alert(1)</script>',
    "' autofocus onfocus=alert(1) '",
    '</title></style><b>',
    '<!--',
  ])
    assert.deepEqual(skeleton(page(hostile(name))), expected);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.deepEqual(skeleton(page(hostile(text))), expected);
    }),
  );
});

test('CP2: the redirect is never a link: all links of the page stay within this service', () => {
  const links = [...page().matchAll(/\s(?:href|src|action)="([^"]*)"/g)].map(([, target]) => target);
  assert.deepEqual(
    new Set(links),
    new Set(
      '../favicon.svg grants authorize #content ../ ../docs ../billing ../account ../docs/metrics ../docs/start ../docs/mcp ../docs/limits ../docs/errors ../account/watchers ../oauth/grants ../readyz?verbose'.split(
        ' ',
      ),
    ),
  );
  assert.ok(!page().includes('notebook.example/callback'));
});

test('CP2: names cannot turn the direction of the text, hide, or push the rest of the page away', () => {
  const name = `\u202Egnip\u200B \u0007${'long '.repeat(100)}`;
  const html = page({ client: { ...VIEW.client, name } });
  assert.ok(!/[\u202A-\u202E\u2066-\u2069\u200B-\u200F]/.test(html) && !html.includes('\u0007'));
  const [, shown = ''] = /<bdi>([^<]*)<\/bdi>/.exec(html) ?? [];
  assert.ok(shown.startsWith('gnip long long'), shown);
  assert.ok(Array.from(shown).length <= 100);
  assert.match(textOf(page({ client: { ...VIEW.client, name: '\u202E\u200B' } })), /App No name Registered/);
});

test('CP10: the key is asked for in a password field that nothing fills in, and posted', () => {
  const [field = ''] = /<input type="password"[^>]*>/.exec(page()) ?? [];
  assert.match(field, /autocomplete="off"/);
  assert.ok(!field.includes(' value='));
  assert.equal(
    [...page().matchAll(/<form[^>]*method="post"/g)].length,
    [...page().matchAll(/<form/g)].length,
  );
});

test('CP10: the key is sent with "continue with this key" alone, and that is what Enter in its field means', () => {
  const forms = [...page().matchAll(/<form.*?<\/form>/gs)].map(([form]) => ({
    decisions: [...form.matchAll(/name="decision" value="(\w+)"/g)].map(([, decision]) => decision),
    hasKey: form.includes('name="api_key"'),
    signed: form.includes('name="transaction" value="signed.request"'),
  }));
  assert.deepEqual(forms, [
    { decisions: ['key'], hasKey: true, signed: true },
    { decisions: ['free'], hasKey: false, signed: true },
    { decisions: ['deny'], hasKey: false, signed: true },
  ]);
});

test('CP8: a fault stands beside the field, is read with it, comes first in the title, and takes the focus there', () => {
  const html = page({ fault: 'invalid' });
  assert.match(html, /<title>Key not accepted: Connect an app · Freehold<\/title>/);
  const [field = ''] = /<input type="password"[^>]*>/.exec(html) ?? [];
  assert.match(field, /aria-describedby="key-fault key-hint" aria-invalid="true" autofocus/);
  assert.match(
    html,
    /id="key-fault"><strong>Key not accepted\.<\/strong> It belongs to no active subscription/,
  );
  assert.ok(!page().includes('autofocus'));
});

test('CP13: the page has no script and asks for no cookie', () => {
  assert.ok(!/<script|\son\w+=|javascript:/i.test(page()));
});
