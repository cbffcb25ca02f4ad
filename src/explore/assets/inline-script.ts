// Browser modules as one script, for pages that may load nothing: each module becomes a function, called in the order of imports.

import { type BrowserFile, keyOf, ownModule, readGraph } from './module-graph.ts';

const IMPORT = /^[ \t]*import\s*\{([^}]*)\}\s*from\s*(['"])([^'"\n]+)\2;?/gm;
const EXPORT = /^export\s+((?:async\s+)?(?:const|function\*?|class)\s+)([\w$]+)/gm;
/** Forms that our modules do not have. */
const OTHER = /^\s*(?:import|export)\b|\bimport\s*\(|\bimport\.meta\b/m;

/** The script of an entry module and of all that it imports. Throws for what cannot be one script. */
export function inlineScript(entry: string): string {
  const first = ownModule(entry);
  const files = readGraph([first]);
  const names = new Map<string, string>();
  const parts: string[] = [];
  const add = (file: BrowserFile | undefined): string => {
    if (file === undefined) throw new Error(`${entry} imports a module that is not there`);
    const key = keyOf(file);
    const known = names.get(key);
    if (known !== undefined) return known;
    const targets = new Map(
      file.imports.map(({ specifier, target }) => [specifier, add(files.get(keyOf(target)))]),
    );
    const name = `m${names.size}`;
    names.set(key, name);
    parts.push(`const ${name}=(()=>{${bodyOf(file, targets)}})();`);
    return name;
  };
  add(files.get(keyOf(first)));
  const script = `'use strict';\n${parts.join('\n')}`;
  if (/<\/script|<!--/i.test(script)) throw new Error(`${entry} has text that would end its script`);
  return `{${script}}`;
}

function bodyOf(file: BrowserFile, targets: ReadonlyMap<string, string>): string {
  const exported: string[] = [];
  const text = file.text
    .replaceAll(IMPORT, (_, list: string, __, specifier: string) => {
      const bindings = list
        .split(',')
        .map((binding) => binding.trim().replace(/\s+as\s+/, ':'))
        .filter((binding) => binding !== '');
      return bindings.length === 0 ? '' : `const {${bindings.join(',')}}=${targets.get(specifier)};`;
    })
    .replaceAll(EXPORT, (_, kind: string, name: string) => {
      exported.push(name);
      return `${kind}${name}`;
    })
    .replaceAll(/^export\s*\{\s*\};?/gm, '');
  if (OTHER.test(text))
    throw new Error(`${keyOf(file)} has a form of import or export that no single script can have`);
  return `${text}\nreturn {${exported.join(',')}};`;
}
