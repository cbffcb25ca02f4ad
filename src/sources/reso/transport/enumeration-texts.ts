// Texts of enumerated values that a server sends as names, read from the annotations of $metadata.

/** Field -> name of a value -> its text. */
export type EnumerationTexts = ReadonlyMap<string, ReadonlyMap<string, string>>;

const TYPE = /<EnumType\s[^>]*\bName="([^"]+)"[^>]*>([\s\S]*?)<\/EnumType>/g;
const MEMBER = /<Member\s[^>]*\bName="([^"]+)"[^>]*>([\s\S]*?)<\/Member>/g;
const TEXT = /<Annotation\s[^>]*\bString="([^"]*)"/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');

/** `types`: the declared type of each field. */
export function enumerationTexts(edmx: string, types: ReadonlyMap<string, string>): EnumerationTexts {
  const byType = new Map<string, ReadonlyMap<string, string>>();
  for (const [, type = '', body = ''] of edmx.matchAll(TYPE)) {
    const members = [...body.matchAll(MEMBER)].flatMap(([, name = '', inside = '']) => {
      const text = TEXT.exec(inside)?.[1];
      return text === undefined ? [] : [[name, unescaped(text)] as const];
    });
    byType.set(type, new Map(members));
  }
  const texts = new Map<string, ReadonlyMap<string, string>>();
  for (const [field, declared] of types) {
    const bare = declared.replace(/^Collection\((.*)\)$/, '$1');
    const members = byType.get(bare.slice(bare.lastIndexOf('.') + 1));
    if (members !== undefined && members.size > 0) texts.set(field, members);
  }
  return texts;
}
