// Excel workbooks made for tests, with the forms of cells that programs write.

import { type ZipPart, zipOf } from './zip-file.ts';

/** `code` names a number format: the cell is a number that is shown so. `formula` has no stored value unless `value` is there. */
export type TestCell =
  | string
  | number
  | boolean
  | null
  | { readonly value: number; readonly code: string }
  | { readonly formula: string; readonly value?: string | number }
  | { readonly error: string }
  | { readonly inline: string };

export interface TestSheet {
  readonly name: string;
  readonly rows: readonly (readonly TestCell[])[];
  readonly isHidden?: boolean;
}

export interface TestWorkbook {
  readonly sheets: readonly TestSheet[];
  readonly is1904?: boolean;
  /** Before the names of elements, as some programs write. */
  readonly prefix?: string;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The parts of a workbook, of which a test may change some. */
export function workbookParts({ sheets, is1904 = false, prefix = '' }: TestWorkbook): ZipPart[] {
  const p = prefix === '' ? '' : `${prefix}:`;
  const namespace = prefix === '' ? `xmlns="${MAIN}"` : `xmlns:${prefix}="${MAIN}"`;
  const texts: string[] = [];
  const codes: string[] = [];
  const parts = sheets.map(({ rows }, at) => {
    const body = rows
      .map((cells, row) => {
        const written = cells.map((cell, column) =>
          cellXml(cell, `${letters(column)}${row + 1}`, { p, texts, codes }),
        );
        return `<${p}row r="${row + 1}">${written.join('')}</${p}row>`;
      })
      .join('');
    return {
      name: `xl/worksheets/sheet${at + 1}.xml`,
      content: `${HEAD}<${p}worksheet ${namespace}><${p}sheetData>${body}</${p}sheetData><${p}autoFilter ref="A1"/></${p}worksheet>`,
    };
  });
  const named = sheets.map(
    ({ name, isHidden }, at) =>
      `<${p}sheet name="${escaped(name)}" sheetId="${at + 1}"${isHidden ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`,
  );
  const relations = sheets.map(
    (_, at) =>
      `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  const formats = codes.map(
    (code, at) => `<${p}numFmt numFmtId="${164 + at}" formatCode="${escaped(code)}"/>`,
  );
  const styles = ['', ...codes].map((_, at) => `<${p}xf numFmtId="${at === 0 ? 0 : 163 + at}"/>`);
  const shared = texts.map((text) => `<${p}si><${p}t xml:space="preserve">${escaped(text)}</${p}t></${p}si>`);
  return [
    { name: '[Content_Types].xml', content: `${HEAD}<Types/>` },
    {
      name: 'xl/workbook.xml',
      content: `${HEAD}<${p}workbook ${namespace} xmlns:r="${RELATIONS}"><${p}workbookPr${is1904 ? ' date1904="1"' : ''}/><${p}sheets>${named.join('')}</${p}sheets></${p}workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `${HEAD}<Relationships>${relations.join('')}</Relationships>`,
    },
    {
      name: 'xl/styles.xml',
      content: `${HEAD}<${p}styleSheet ${namespace}><${p}numFmts>${formats.join('')}</${p}numFmts><${p}cellXfs>${styles.join('')}</${p}cellXfs></${p}styleSheet>`,
    },
    { name: 'xl/sharedStrings.xml', content: `${HEAD}<${p}sst ${namespace}>${shared.join('')}</${p}sst>` },
    ...parts,
  ];
}

/** The bytes of a workbook. */
export const workbookOf = (workbook: TestWorkbook): Buffer => zipOf(workbookParts(workbook));

interface Tables {
  /** The prefix of elements. */
  readonly p: string;
  readonly texts: string[];
  readonly codes: string[];
}

function cellXml(cell: TestCell, r: string, { p, texts, codes }: Tables): string {
  const c = (attributes: string, inner: string): string => `<${p}c r="${r}"${attributes}>${inner}</${p}c>`;
  const v = (value: unknown): string => `<${p}v>${escaped(String(value))}</${p}v>`;
  if (cell === null) return '';
  if (typeof cell === 'number') return c('', v(cell));
  if (typeof cell === 'boolean') return c(' t="b"', v(cell ? 1 : 0));
  if (typeof cell === 'string') return c(' t="s"', v(indexIn(texts, cell)));
  if ('code' in cell) return c(` s="${indexIn(codes, cell.code) + 1}"`, v(cell.value));
  if ('error' in cell) return c(' t="e"', v(cell.error));
  if ('inline' in cell) return c(' t="inlineStr"', `<${p}is><${p}t>${escaped(cell.inline)}</${p}t></${p}is>`);
  const f = `<${p}f>${escaped(cell.formula)}</${p}f>`;
  if (cell.value === undefined) return c('', f);
  return typeof cell.value === 'string' ? c(' t="str"', f + v(cell.value)) : c('', f + v(cell.value));
}

function indexIn(list: string[], text: string): number {
  const at = list.indexOf(text);
  return at === -1 ? list.push(text) - 1 : at;
}

const letters = (column: number): string =>
  (column < 26 ? '' : letters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
