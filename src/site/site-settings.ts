// Settings of the operator's own name: how the service is called, its logo, its accent, and its legal links and sentences.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SettingsReader } from '../lib/settings.ts';
import { visibleText } from '../page/html.ts';
import { contrast, DARK, GROUNDS, LIGHT, mix, type Palette } from '../page/palette.ts';

export interface LogoFile {
  /** Below the root of the service; it changes with the file. */
  readonly path: string;
  readonly type: 'image/svg+xml' | 'image/png';
  readonly bytes: Buffer;
}

export interface SiteSettings {
  /** Null: ours. */
  readonly name: string | null;
  readonly logo: LogoFile | null;
  /** One colour a theme; null: ours. */
  readonly accent: { readonly light: string; readonly dark: string } | null;
  readonly legal: readonly { readonly name: string; readonly href: string }[];
  /** Sentences at the end of every page; null: none. */
  readonly notice: string | null;
}

const MAX_NAME = 40;
const MAX_LOGO = 64 * 1024;
/** WCAG 2.2, AA, of text. */
const MIN_CONTRAST = 4.5;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Adds what is wrong to the faults of the reader. */
export function readSiteSettings(read: SettingsReader, folder: string): SiteSettings {
  const { legal, notice } = readLegal(read);
  return { name: readName(read), logo: readLogo(read, folder), accent: readAccent(read), legal, notice };
}

function readName(read: SettingsReader): string | null {
  const text = read.text('SITE_NAME');
  if (text === null) return null;
  const name = visibleText(text);
  if (name === '' || Array.from(name).length > MAX_NAME)
    read.faults.push(`SITE_NAME must have 1 to ${MAX_NAME} visible characters`);
  return name;
}

function readLogo(read: SettingsReader, folder: string): LogoFile | null {
  const file = read.path('SITE_LOGO', folder);
  if (file === null) return null;
  try {
    const bytes = readFileSync(file);
    const type = typeOf(bytes);
    if (bytes.length <= MAX_LOGO && type !== null) {
      const extension = type === 'image/png' ? 'png' : 'svg';
      return { path: `logo-${hash('sha256', bytes, 'hex').slice(0, 16)}.${extension}`, type, bytes };
    }
    read.faults.push(
      type === null
        ? `SITE_LOGO: ${file} must be a PNG, or an SVG without scripts, handlers and references to other files`
        : `SITE_LOGO: ${file} has ${bytes.length} bytes; at most ${MAX_LOGO} are served`,
    );
  } catch (error) {
    read.faults.push(`SITE_LOGO: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`);
  }
  return null;
}

function typeOf(bytes: Buffer): LogoFile['type'] | null {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  const text = bytes.toString('utf8');
  const isSvg =
    /^\uFEFF?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<svg[\s>]/s.test(text) && text.includes('</svg>');
  const isActive =
    /<(?:[\w-]+:)?(?:script|foreignObject)|<!ENTITY|@import|\son\w+\s*=|javascript:|href\s*=\s*["'](?!#|data:image\/(?:png|jpeg))/i.test(
      text,
    );
  return isSvg && !isActive ? 'image/svg+xml' : null;
}

/** One colour for the light theme, and one for the dark: no colour can be read on both. */
function readAccent(read: SettingsReader): SiteSettings['accent'] {
  const text = read.text('SITE_ACCENT');
  if (text === null) return null;
  const colours = text.split(',').map((part) => part.trim());
  if (colours.length > 2 || colours.some((colour) => !/^#[0-9a-f]{6}$/i.test(colour))) {
    read.faults.push(
      'SITE_ACCENT must be a colour such as #1F5F4A, or two, for the light and the dark theme',
    );
    return null;
  }
  const [light = '', dark = nearestAccent(light, DARK)] = colours;
  for (const [colour, palette, theme] of [
    [light, LIGHT, 'light'],
    [dark, DARK, 'dark'],
  ] as const) {
    const ratio = lowestContrast(colour, palette);
    if (ratio < MIN_CONTRAST)
      read.faults.push(
        `SITE_ACCENT: ${colour} has a contrast of ${(Math.floor(ratio * 100) / 100).toFixed(2)}:1 in the ${theme} theme, and text needs ${MIN_CONTRAST}:1; the nearest that passes is ${nearestAccent(colour, palette)}`,
      );
  }
  return { light, dark };
}

/** The contrast of a colour on the ground on which it is read worst. */
const lowestContrast = (colour: string, palette: Palette): number =>
  Math.min(...GROUNDS.map((ground) => contrast(colour, palette[ground])));

/** The colour itself where it can be read, else the one with least of the theme's darkest or lightest mixed in. */
function nearestAccent(colour: string, palette: Palette): string {
  const end = contrast('#000000', palette.paper) > contrast('#FFFFFF', palette.paper) ? '#000000' : '#FFFFFF';
  for (let percent = 0; percent < 100; percent++) {
    const mixed = mix(end, colour, percent / 100);
    if (lowestContrast(mixed, palette) >= MIN_CONTRAST) return mixed;
  }
  return end;
}

/** Parts between semicolons: links as `Imprint=https://…`, all others are sentences. */
function readLegal(read: SettingsReader): Pick<SiteSettings, 'legal' | 'notice'> {
  const parts = (read.text('SITE_LEGAL') ?? '')
    .split(';')
    .map(visibleText)
    .filter((part) => part !== '');
  const legal: { name: string; href: string }[] = [];
  const sentences: string[] = [];
  for (const part of parts) {
    const [, name, href] = /^([^=]{1,60}?)\s*=\s*(\S+)$/.exec(part) ?? [];
    if (name === undefined || href === undefined) sentences.push(part);
    else if (/^https?:$/.test(URL.parse(href)?.protocol ?? '')) legal.push({ name, href });
    else read.faults.push(`SITE_LEGAL: the link ${name} must lead to an http or https URL`);
  }
  return { legal, notice: sentences.length === 0 ? null : sentences.join(' ') };
}
