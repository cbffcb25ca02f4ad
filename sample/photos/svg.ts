// SVG shapes of the photos. Coordinates are whole pixels, to keep pictures small.

const n = (value: number): string => String(Math.round(value));

export function rect(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${fill}"${more && ` ${more}`}/>`;
}

export function polygon(points: readonly (readonly [number, number])[], fill: string, more = ''): string {
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${n(x)} ${n(y)}`).join('');
  return `<path d="${path}Z" fill="${fill}"${more && ` ${more}`}/>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, stroke: string, width: number): string {
  return `<path d="M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}" stroke="${stroke}" stroke-width="${width}" fill="none"/>`;
}

export function ellipse(x: number, y: number, rx: number, ry: number, fill: string, more = ''): string {
  return `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(rx)}" ry="${n(ry)}" fill="${fill}"${more && ` ${more}`}/>`;
}

/** One drawing used many times: defined once under an identifier, then placed by reference. */
export function define(id: string, drawing: string): string {
  return `<defs><g id="${id}">${drawing}</g></defs>`;
}

export function use(id: string, x: number, y: number): string {
  return `<use href="#${id}" x="${n(x)}" y="${n(y)}"/>`;
}

export function group(transform: string, drawing: string): string {
  return `<g transform="${transform}">${drawing}</g>`;
}

/** Mixes two #RRGGBB colours: 0 gives the first, 1 the second. */
export function blend(first: string, second: string, part: number): string {
  const channel = (colour: string, at: number): number => Number.parseInt(colour.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) =>
    Math.round(channel(first, at) * (1 - part) + channel(second, at) * part),
  );
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
