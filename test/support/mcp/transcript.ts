// Transcript of a task as a documentation page: calls of tools with their answers, and steps of the sample market between them.

export type TranscriptStep =
  | {
      readonly kind: 'call';
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
      /** Lines of the answer, `…` for those that are left out. */
      readonly answer: readonly string[];
    }
  | { readonly kind: 'control'; readonly method: string; readonly path: string; readonly body: unknown };

const BLOCK = /^```(json|text|http)\n([\s\S]*?)^```$/gm;

/** Reads the blocks of a page. Throws where a call has no answer. */
export function parseTranscript(page: string): readonly TranscriptStep[] {
  const blocks = [...page.matchAll(BLOCK)].map(([, language = '', text = '']) => ({ language, text }));
  return blocks.flatMap(({ language, text }, at): TranscriptStep[] => {
    if (language === 'text') return [];
    if (language === 'http') {
      const [, method = '', path = '', body = ''] = /^(\w+) (\S+)\s+(\{[\s\S]*\})\s*$/.exec(text) ?? [];
      return [{ kind: 'control', method, path, body: JSON.parse(body) }];
    }
    const answer = blocks[at + 1];
    if (answer?.language !== 'text') throw new Error(`No answer follows ${text}`);
    const { tool, arguments: args } = JSON.parse(text) as {
      tool: string;
      arguments: Record<string, unknown>;
    };
    return [{ kind: 'call', tool, args, answer: answer.text.trimEnd().split('\n') }];
  });
}

/** What differs from run to run: times, ages, and ids that are drawn by chance. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/confirmed \d+ s ago/g, 'AGE'],
  [/wat_[0-9a-f]{24}/g, 'WATCHER'],
];

/** The first line of the transcript's answer that the actual one has not, in their order; null: it has all. */
export function missingLine(
  { answer }: Extract<TranscriptStep, { kind: 'call' }>,
  actual: string,
): string | null {
  const mask = (line: string) =>
    VARYING.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), line);
  const lines = actual.split('\n').map(mask);
  let at = 0;
  let isGap = false;
  for (const line of answer) {
    if (line === '…') {
      isGap = true;
      continue;
    }
    const found = lines.indexOf(mask(line), at);
    if (found === -1 || (!isGap && found !== at)) return line;
    at = found + 1;
    isGap = false;
  }
  return isGap || at === lines.length ? null : (lines[at] ?? null);
}
