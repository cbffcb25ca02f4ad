// Files of browser modules under URLs with the hash of their folder, which clients cache for good.

import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { ENTRIES, type EntryName } from './entries.ts';
import {
  type BrowserFile,
  type FileId,
  keyOf,
  OWN,
  ownModule,
  readGraph,
  rewriteImports,
} from './module-graph.ts';

/** Path of all assets below the root of the service. */
export const ASSETS_PATH = 'explore/assets';

const HASH_LENGTH = 12;

export interface Asset {
  /** Below ASSETS_PATH. */
  readonly path: string;
  readonly text: string;
  readonly type: string;
}

/** What a page with script names: a module, and the modules that it imports, so that the browser asks for all at once. */
export interface PageScript {
  /** URLs relative to the root of the service. */
  readonly src: string;
  readonly preloads: readonly string[];
}

/** The assets of a process. They are read when the first page or file asks for them. */
export class Assets {
  readonly #entries: Readonly<Record<string, string>>;
  #files: ReadonlyMap<string, BrowserFile> | undefined;
  #served: ReadonlyMap<string, Asset> | undefined;
  /** Folder -> its name in URLs. */
  readonly #folders = new Map<string, string>();

  /** `entries`: name -> path in `src` without extension. */
  constructor(entries: Readonly<Record<string, string>> = ENTRIES) {
    this.#entries = entries;
  }

  /** URL of an entry module, relative to the root of the service. */
  url(entry: EntryName): string {
    return this.#urlOf(this.#entry(entry));
  }

  /** An entry module with what it imports statically. */
  script(entry: EntryName): PageScript {
    const first = this.#entry(entry);
    const found = new Map<string, FileId>([[keyOf(first), first]]);
    for (const file of found.values()) {
      const imports = this.#read().get(keyOf(file))?.imports ?? [];
      for (const { target, isDynamic } of imports) if (!isDynamic) found.set(keyOf(target), target);
    }
    const [src = '', ...preloads] = [...found.values()].map((file) => this.#urlOf(file));
    return { src, preloads };
  }

  /** The asset at a path below ASSETS_PATH; undefined: there is none. */
  find(path: string): Asset | undefined {
    this.#served ??= new Map(
      [...this.#read().values()].map((file) => {
        const path = this.#pathOf(file);
        return [path, { path, text: this.#textOf(file), type: 'text/javascript; charset=utf-8' }];
      }),
    );
    return this.#served.get(path);
  }

  #read(): ReadonlyMap<string, BrowserFile> {
    this.#files ??= readGraph(Object.values(this.#entries).map(ownModule));
    return this.#files;
  }

  #entry(name: EntryName): FileId {
    return ownModule(this.#entries[name] ?? '');
  }

  #urlOf(file: FileId): string {
    return `${ASSETS_PATH}/${this.#pathOf(file)}`;
  }

  #pathOf({ folder, path }: FileId): string {
    return `${this.#folderName(folder)}/${path}`;
  }

  /** The name changes with any byte of what the folder serves. Packages do not import each other in a circle. */
  #folderName(folder: string): string {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const files = [...this.#read().values()].filter((file) => file.folder === folder);
    const texts = files.map((file) => `${file.path}\n${this.#textOf(file)}`).toSorted();
    const digest = hash('sha256', texts.join('\n'), 'hex').slice(0, HASH_LENGTH);
    const name = `${folder.replace('/', '+')}-${digest}`;
    this.#folders.set(folder, name);
    return name;
  }

  /** The text with imports of other folders as relative URLs: the service may run below a path. */
  #textOf(file: BrowserFile): string {
    return rewriteImports(file, (target) => {
      const isOwnFolder = target.folder === file.folder;
      const [from, to] = isOwnFolder
        ? [file.path, target.path]
        : [`${OWN}/${file.path}`, this.#pathOf(target)];
      const path = posix.relative(posix.dirname(from), to);
      return path.startsWith('.') ? path : `./${path}`;
    });
  }
}
