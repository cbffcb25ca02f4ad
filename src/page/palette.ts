// Colour palette of every page, light and dark.

export interface Palette {
  readonly paper: string;
  readonly ink: string;
  /** Secondary text. */
  readonly quiet: string;
  readonly line: string;
  /** Background of code and figures. */
  readonly land: string;
  readonly water: string;
  /** Links. */
  readonly accent: string;
  readonly sale: string;
  readonly rental: string;
  readonly warning: string;
  readonly error: string;
}

export const LIGHT: Palette = {
  paper: '#FAF8F4',
  ink: '#1D2320',
  quiet: '#56605A',
  line: '#DDD8CC',
  land: '#EEF0E4',
  water: '#CFE0E6',
  accent: '#1F5F4A',
  sale: '#9A4A2F',
  rental: '#2F5F8A',
  warning: '#7F5200',
  error: '#9B2C2C',
};

export const DARK: Palette = {
  paper: '#141816',
  ink: '#ECE8DF',
  quiet: '#9AA39C',
  line: '#2C332F',
  land: '#1E2521',
  water: '#15242B',
  accent: '#7CC4A4',
  sale: '#E0916F',
  rental: '#86B4E0',
  warning: '#E0B15A',
  error: '#F09A94',
};

/** The colours as CSS custom properties: --paper, --ink and so on. */
export function properties(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}
