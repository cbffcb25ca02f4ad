// Proves that an operator's name, logo, accent and legal lines are taken as they are, or refused with the remedy.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SettingsReader } from '../lib/settings.ts';
import { contrast, DARK, GROUNDS, LIGHT } from '../page/palette.ts';
import { readSiteSettings } from './site-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'freehold-site-'));
after(() => rmSync(folder, { recursive: true }));

function read(environment: Readonly<Record<string, string>>) {
  const faults: string[] = [];
  return { settings: readSiteSettings(new SettingsReader(environment, faults), folder), faults };
}

test('without settings the service is ours', () => {
  const { settings, faults } = read({});
  assert.deepEqual(settings, { name: null, logo: null, accent: null, legal: [], notice: null });
  assert.deepEqual(faults, []);
});

test('an accent that cannot be read is refused with its contrast and a colour that passes; one colour gets its dark twin', () => {
  const { faults } = read({ SITE_ACCENT: '#FFAA00' });
  const [, ratio = '', nearest = ''] =
    /contrast of ([\d.]+):1 in the light theme.* is (#[0-9A-F]{6})$/.exec(faults[0] ?? '') ?? [];
  assert.ok(Number(ratio) < 4.5, faults.join());
  const passed = read({ SITE_ACCENT: nearest });
  assert.deepEqual(passed.faults, []);
  for (const ground of GROUNDS) {
    assert.ok(contrast(passed.settings.accent?.light ?? '', LIGHT[ground]) >= 4.5);
    assert.ok(contrast(passed.settings.accent?.dark ?? '', DARK[ground]) >= 4.5);
  }
  assert.match(read({ SITE_ACCENT: '#1F5F4A,#1F5F4A' }).faults[0] ?? '', /in the dark theme/);
  for (const wrong of ['green', '#FFF', '#111111,#EEEEEE,#333333'])
    assert.match(read({ SITE_ACCENT: wrong }).faults[0] ?? '', /must be a colour such as/);
});

test('a logo is a PNG or an SVG that does nothing; its address changes with it', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9v9z"/></svg>';
  const pathOf = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return read({ SITE_LOGO: name });
  };
  const first = pathOf('a.svg', svg).settings.logo;
  assert.match(first?.path ?? '', /^logo-[0-9a-f]{16}\.svg$/);
  assert.notEqual(pathOf('b.svg', svg.replace('9', '8')).settings.logo?.path, first?.path);
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(20)]);
  assert.equal(pathOf('c.png', png).settings.logo?.type, 'image/png');
  for (const bad of [
    svg.replace('<path', '<script>1</script><path'),
    svg.replace('<path', '<x:script xmlns:x="http://www.w3.org/2000/svg">1</x:script><path'),
    svg.replace('<path', '<style>@import url(https://a.example/b.css)</style><path'),
    svg.replace('<path', '<path onload="1"'),
    svg.replace('<path', '<image href="https://elsewhere.example/a.png"/><path'),
    '<html></html>',
  ])
    assert.match(pathOf('d.svg', bad).faults[0] ?? '', /must be a PNG, or an SVG without scripts/);
  assert.match(pathOf('e.png', Buffer.concat([png, Buffer.alloc(70_000)])).faults[0] ?? '', /at most 65536/);
  assert.match(read({ SITE_LOGO: 'none.svg' }).faults[0] ?? '', /cannot be read \(ENOENT\)/);
});

test('legal parts are links and sentences; a name is one visible line', () => {
  const { settings, faults } = read({
    SITE_NAME: '  Elm\u200b Homes ',
    SITE_LEGAL:
      'Imprint=https://elm.example/imprint?a=b; For information only.; Privacy = https://elm.example/p',
  });
  assert.deepEqual(faults, []);
  assert.equal(settings.name, 'Elm Homes');
  assert.deepEqual(settings.legal, [
    { name: 'Imprint', href: 'https://elm.example/imprint?a=b' },
    { name: 'Privacy', href: 'https://elm.example/p' },
  ]);
  assert.equal(settings.notice, 'For information only.');
  assert.match(
    read({ SITE_LEGAL: 'Imprint=javascript:1' }).faults[0] ?? '',
    /must lead to an http or https URL/,
  );
  assert.match(read({ SITE_NAME: 'x'.repeat(41) }).faults[0] ?? '', /1 to 40/);
});
