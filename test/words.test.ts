// Proves that code, messages and documents use the words of the field instead of a dialect of their own.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { readSource, sourceFiles } from './support/code/source-files.ts';

/** What is refused -> what to write. */
const WORDS: readonly (readonly [refused: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\bbegun\b/i, 'started'],
  [/\brobbed\b/i, 'evicted, removed'],
  [/\bbored\b/i, 'timed out'],
  [/\b(?:im)?patien(?:ce|t|tly)\b/i, 'timeout'],
  [/\btold\b/i, 'notified, sent, shown, reported'],
  [/\binquir(?:y|ies|e|ed)\b/i, 'request, query'],
  [/\bverdicts?\b/i, 'state, result, outcome'],
  [/\bcostly\b/i, 'expensive'],
  [/\binAll\b/, 'total'],
  [/\b(?:MOST|LONGEST|LARGEST)_/, 'MAX_'],
  [/\b(?:FEWEST|LEAST|SHORTEST)_/, 'MIN_'],
];

/** What pages write for a fact that no source gives. */
const UNKNOWN = /\bnot[ _]told\b/gi;

/** Quotes the names of tests. */
const QUOTING = ['reliability.md'];

function findings(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      WORDS.filter(([refused]) => refused.test(line.replaceAll(UNKNOWN, ''))).map(
        ([, instead]) => `${path}:${at + 1} ${line.trim().slice(0, 100)} (instead: ${instead})`,
      ),
    );
}

test('code has no words of a dialect of its own', async () => {
  const files = (await sourceFiles('{src,sample}/**/*.ts')).filter(({ path }) => !path.endsWith('.test.ts'));
  assert.ok(files.length > 100, 'the files were found');
  assert.deepEqual(
    files.flatMap(({ path, text }) => findings(path, text)),
    [],
  );
});

test('documents have none either', () => {
  const documents = readdirSync('docs').filter((name) => name.endsWith('.md') && !QUOTING.includes(name));
  const paths = ['README.md', 'ARCHITECTURE.md', ...documents.map((name) => `docs/${name}`)];
  assert.ok(paths.length > 10, 'the documents were found');
  assert.deepEqual(
    paths.flatMap((path) => findings(path, readSource(path).text)),
    [],
  );
});

test('a refused word is found wherever it stands', () => {
  assert.equal(findings('a.ts', '// It is told anew.\nconst MOST_ROWS = 5;').length, 3);
  assert.equal(findings('a.ts', '// It is sent again.\nconst MAX_ROWS = 5;').length, 0);
});
