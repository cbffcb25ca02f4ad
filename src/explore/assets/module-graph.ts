// Graph of browser modules: what the entry modules import, directly or not, of our own code and of packages.

import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON, stripTypeScriptTypes } from 'node:module';
import { dirname, extname, join, posix } from 'node:path';
import { type BrowserPackage, PACKAGES, type PackageName } from './packages.ts';

/** Name of the folder of our own modules, which is `src`, or what it was compiled to. */
export const OWN = 'freehold';

/** A file: the folder that it is served from, and its path in there. */
export interface FileId {
  readonly folder: string;
  readonly path: string;
}

export interface Import {
  /** As the file names it. */
  readonly specifier: string;
  /** Whether it is loaded on demand. */
  readonly isDynamic: boolean;
  readonly target: FileId;
}

export interface BrowserFile extends FileId {
  /** JavaScript as it is to be run, except for its imports of packages. */
  readonly text: string;
  readonly imports: readonly Import[];
}

/** Static imports and re-exports with their specifier, then dynamic imports. Statements begin their line, or follow another. */
const STATIC = /(?<=^|[;}])(\s*(?:import|export)\b(?:[^'"`;()]*?\bfrom)?\s*)(['"])([^'"\n]+)\2/gm;
const DYNAMIC = /(\bimport\(\s*)(['"])([^'"\n]+)\2(?=\s*\))/g;

const SOURCE = join(import.meta.dirname, '../..');
const EXTENSION = extname(import.meta.filename);

/** Path of a module of our own in `src`, from its name without the extension. */
export const ownModule = (name: string): FileId => ({ folder: OWN, path: `${name}${EXTENSION}` });

/** Reads what is reachable from the files. Throws if one imports what browsers cannot load. */
export function readGraph(entries: readonly FileId[]): ReadonlyMap<string, BrowserFile> {
  const files = new Map<string, BrowserFile>();
  const pending = [...entries];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (files.has(keyOf(next))) continue;
    const file = readBrowserFile(next);
    files.set(keyOf(file), file);
    pending.push(...file.imports.map(({ target }) => target), ...companionsOf(next.folder));
  }
  return files;
}

export const keyOf = ({ folder, path }: FileId): string => `${folder}/${path}`;

/** The text with the specifiers of imports replaced. */
export function rewriteImports(file: BrowserFile, urlOf: (target: FileId) => string): string {
  const targets = new Map(file.imports.map(({ specifier, target }) => [specifier, target]));
  const replace = (_: string, before: string, quote: string, specifier: string): string => {
    const target = targets.get(specifier);
    return `${before}${quote}${target === undefined ? specifier : urlOf(target)}${quote}`;
  };
  return file.text.replaceAll(STATIC, replace).replaceAll(DYNAMIC, replace);
}

function readBrowserFile({ folder, path }: FileId): BrowserFile {
  const written = readFileSync(join(rootOf(folder), path), 'utf8');
  const javascript = path.endsWith('.ts') ? stripTypeScriptTypes(written) : written;
  const text = folder === OWN ? withoutComments(javascript) : javascript;
  const find = (pattern: RegExp, isDynamic: boolean): readonly Import[] =>
    [...text.matchAll(pattern)].map(([, , , specifier = '']) => {
      return { specifier, isDynamic, target: resolveImport({ folder, path }, specifier) };
    });
  return { folder, path, text, imports: [...find(STATIC, false), ...find(DYNAMIC, true)] };
}

/** Comments that stand alone on their lines, and the spaces that types leave, are not sent to browsers. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*$/gm, '')
    .replaceAll(/^[ \t]*\/\/.*$/gm, '')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{2,}/g, '\n');
}

/** Files that a package loads by URL rather than by import. */
function companionsOf(folder: string): readonly FileId[] {
  const { companions }: BrowserPackage = isPackage(folder) ? PACKAGES[folder] : { entry: '' };
  return (companions ?? []).map((path) => ({ folder, path }));
}

function resolveImport(from: FileId, specifier: string): FileId {
  if (specifier.startsWith('.')) {
    const path = posix.normalize(posix.join(posix.dirname(from.path), specifier));
    const target = { folder: from.folder, path };
    if (path.startsWith('..') || !existsSync(join(rootOf(from.folder), path)))
      throw new Error(`${keyOf(from)} imports ${specifier}, which is not there`);
    return target;
  }
  const [name = '', ...rest] = splitSpecifier(specifier);
  if (!isPackage(name)) throw new Error(`${keyOf(from)} imports ${specifier}, which browsers cannot load`);
  return { folder: name, path: rest[0] ?? PACKAGES[name].entry };
}

/** lit-html/directives/repeat.js -> the package and the path in it. */
function splitSpecifier(specifier: string): readonly string[] {
  const [, name = specifier, path] = /^(@[^/]+\/[^/]+|[^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return path === undefined ? [name] : [name, path];
}

const isPackage = (name: string): name is PackageName => Object.hasOwn(PACKAGES, name);

function rootOf(folder: string): string {
  if (folder === OWN) return SOURCE;
  const manifest = findPackageJSON(folder, import.meta.url);
  if (manifest === undefined) throw new Error(`The package ${folder} is not installed`);
  return dirname(manifest);
}
