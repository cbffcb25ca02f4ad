// Colour palette of every page, light and dark.

export interface Palette {
  /** Ground of the page. */
  readonly paper: string;
  /** Ground of panels, controls and what floats. */
  readonly raised: string;
  readonly ink: string;
  /** Secondary text. */
  readonly quiet: string;
  /** Divides; never the border of a control. */
  readonly line: string;
  /** Borders of controls. */
  readonly edge: string;
  /** Ground of code, figures and maps. */
  readonly land: string;
  readonly water: string;
  /** Bands of shallow water along a coast. */
  readonly coast: string;
  /** Ground of what is in force or has changed. */
  readonly wash: string;
  readonly hover: string;
  /** Links, and the one primary button. */
  readonly accent: string;
  /** Text on accent. */
  readonly 'on-accent': string;
  readonly sale: string;
  readonly rental: string;
  readonly warning: string;
  readonly error: string;
}

export const LIGHT: Palette = {
  paper: '#FAF8F4',
  raised: '#FFFEFC',
  ink: '#1D2320',
  quiet: '#56605A',
  line: '#DDD8CC',
  edge: '#7D796F',
  land: '#EEF0E4',
  water: '#CFE0E6',
  coast: '#B7CED7',
  wash: '#E3EDE5',
  hover: '#EEF0E4',
  accent: '#1F5F4A',
  'on-accent': '#FAF8F4',
  sale: '#9A4A2F',
  rental: '#2F5F8A',
  warning: '#7F5200',
  error: '#9B2C2C',
};

export const DARK: Palette = {
  paper: '#141816',
  raised: '#1A1F1C',
  ink: '#ECE8DF',
  quiet: '#9AA39C',
  line: '#2C332F',
  edge: '#6B756F',
  land: '#1E2521',
  water: '#15242B',
  coast: '#1E323B',
  wash: '#1D2F27',
  hover: '#262E29',
  accent: '#7CC4A4',
  'on-accent': '#141816',
  sale: '#E0916F',
  rental: '#86B4E0',
  warning: '#E0B15A',
  error: '#F09A94',
};

/** Grounds that text stands on. */
export const GROUNDS = ['paper', 'raised', 'land', 'water', 'wash', 'hover'] as const;

/** The colours as CSS custom properties: --paper, --ink and so on. */
export function properties(palette: Partial<Palette>): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

/** Contrast of two colours, each #RRGGBB, as WCAG 2.2 defines it: 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** A mix of two colours, each #RRGGBB; `share` of the first, 0 to 1. */
export function mix(first: string, second: string, share: number): string {
  const other = channels(second);
  const mixed = channels(first).map((value, at) =>
    Math.round(value * share + (other[at] ?? 0) * (1 - share))
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${mixed.join('').toUpperCase()}`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
