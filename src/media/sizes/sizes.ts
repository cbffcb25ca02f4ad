// Sizes of photos: which there are, by the names that stand in their URLs.

export const WIDTHS = [320, 640, 1280] as const;
export const SIZE_FORMATS = ['webp', 'avif'] as const;
export type SizeFormat = (typeof SIZE_FORMATS)[number];

/** A size with its format: no wider than `width`, and no higher than three times that. Nothing is enlarged. */
export interface PhotoSize {
  readonly width: number;
  readonly format: SizeFormat;
}

const NAME = /^(\d+)\.(\w+)$/;

/** The size that a URL names, as `640.webp`; null: there is none. */
export function parseSize(name: string): PhotoSize | null {
  const [, digits, extension] = NAME.exec(name) ?? [];
  const width = WIDTHS.find((each) => String(each) === digits);
  const format = SIZE_FORMATS.find((each) => each === extension);
  return width === undefined || format === undefined ? null : { width, format };
}
