// Proves that the word index has the rows of every word, however it came about.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertEvery } from '../../../../test/support/check/every.ts';
import { listWords, mergeWords, TailWords } from './tail-words.ts';
import { hashBytes, hashWord } from './word-hash.ts';
import { markRows, WordCollector, type WordIndex } from './word-index.ts';

const WORDS = ['oak', 'Boak', 'umbra', 'élan', '12', 'Akey1', 'Akey2', '', 'zürich'];
const rowArbitrary = fc.record({ words: fc.subarray(WORDS), isGone: fc.boolean() });

/** The index of rows; `source`: by row of the index the row that is meant. */
function indexOf(rows: readonly (readonly string[])[], source = Uint32Array.from(rows.keys())): WordIndex {
  const collector = new WordCollector();
  for (const words of rows) {
    collector.beginRow();
    for (const word of words) collector.addWord(hashWord(word));
  }
  return collector.build(source);
}

function wordsOf(index: WordIndex, rows: number): string[][] {
  const words = Array.from({ length: rows }, (): string[] => []);
  for (const word of WORDS) {
    const marks = new Uint8Array(rows);
    markRows(index, hashWord(word), 4, marks);
    for (const [row, mark] of marks.entries()) if (mark === 4) words[row]?.push(word);
  }
  return words;
}

test('an index tells the words of every row, wherever it was collected', () => {
  const places = fc
    .array(fc.subarray(WORDS), { maxLength: 300 })
    .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray([...rows.keys()])));
  fc.assert(
    fc.property(places, ([rows, source]) =>
      assert.deepEqual(
        wordsOf(indexOf(rows, Uint32Array.from(source)), source.length),
        source.map((row) => rows[row]),
      ),
    ),
    { numRuns: 50, seed: 31 },
  );
});

test('two words that share a hash are found together, and a merge keeps that', () => {
  const collector = new WordCollector();
  const [oak, elm] = [collector.addToVocabulary(7), collector.addToVocabulary(7)];
  for (const words of [[elm], [], [oak, elm], [oak]]) {
    collector.beginRow();
    for (const word of words) collector.add(word);
  }
  const index = collector.build(Uint32Array.of(0, 1, 2, 3));
  const marked = (of: WordIndex, rows: number) => {
    const marks = new Uint8Array(rows);
    markRows(of, 7, 1, marks);
    return [...marks];
  };
  assert.deepEqual(marked(index, 4), [1, 0, 1, 1]);
  const tail = new TailWords();
  tail.add(0, [7]);
  const merged = mergeWords(index, listWords(tail.byRow(), 1), Uint32Array.of(1, 2, 3, 4), 4);
  assert.deepEqual(marked(merged, 4), [0, 1, 1, 1]);
});

test('a merge keeps the words of rows that stay, and adds those of the tail', () => {
  const tables = fc.record({
    base: fc.array(rowArbitrary, { maxLength: 40 }),
    tail: fc.array(rowArbitrary, { maxLength: 10 }),
    places: fc.infiniteStream(fc.nat({ max: 40 })),
  });
  fc.assert(
    fc.property(tables, ({ base, tail, places }) => {
      const tailWords = new TailWords();
      for (const [row, { words }] of tail.entries()) tailWords.add(row, words.map(hashWord));
      const kept = base.flatMap(({ isGone }, row) => (isGone ? [] : [row]));
      const source = [...kept];
      for (const [row, { isGone }] of tail.entries())
        if (!isGone) source.splice(places.next().value ?? 0, 0, base.length + row);
      const index = indexOf(base.map(({ words }) => words));
      const merged = mergeWords(
        index,
        listWords(tailWords.byRow(), tail.length),
        Uint32Array.from(source),
        base.length,
      );
      const rows = [...base, ...tail];
      assert.deepEqual(
        wordsOf(merged, source.length),
        source.map((row) => rows[row]?.words ?? []),
      );
    }),
    { numRuns: 300, seed: 32 },
  );
});

test('readers of a tail see the rows that they know, and no later ones', () => {
  const words = new TailWords();
  for (const row of [0, 1, 2]) words.add(row, row === 1 ? [] : [hashWord('oak')]);
  const marks = new Uint8Array(2);
  words.markRows(hashWord('oak'), 1, marks);
  assert.deepEqual([...marks], [1, 0]);
  assert.deepEqual([...listWords(words.byRow(), 2).rows], [0]);
});

test('each word of a long tail is found in its rows and in no others, and a merge gets the words of each row', () => {
  const tail = new TailWords();
  // More words than a chunk holds, of which some are in every row, some in many and some in one.
  const wordsOf = (row: number): readonly number[] =>
    Array.from({ length: 100 }, (_, at) =>
      hashWord(at < 10 ? `all${at}` : at < 90 ? `w${(row * at) % 3_000}` : `${row} ${at}`),
    );
  const expected = new Map<number, Set<number>>();
  for (let row = 0; row < 1_000; row++) {
    const words = wordsOf(row);
    tail.add(row, words);
    for (const hash of words) expected.set(hash, (expected.get(hash) ?? new Set()).add(row));
  }
  for (const [hash, rows] of expected) {
    const marks = new Uint8Array(1_000);
    tail.markRows(hash, 1, marks);
    assert.equal(
      marks.reduce((sum, mark) => sum + mark, 0),
      rows.size,
    );
    for (const row of rows) assert.equal(marks[row], 1);
  }
  const { hashes, offsets, rows } = listWords(tail.byRow(), 1_000);
  assert.deepEqual(
    [...hashes],
    [...expected.keys()].sort((a, b) => a - b),
  );
  for (const [word, hash] of hashes.entries())
    assert.deepEqual(new Set(rows.subarray(offsets[word], offsets[word + 1])), expected.get(hash));
});

test('hashes are whole numbers below 2^53, the same for a word and for its bytes, and differ', () => {
  const words = Array.from({ length: 200_000 }, (_, number) => `${'ABCD'[number % 4]}word${number}`);
  const hashes = words.map(hashWord);
  assert.equal(new Set(hashes).size, words.length);
  assertEvery(hashes, (hash) => Number.isSafeInteger(hash) && hash >= 0);
  const bytes = Buffer.from('xAélan');
  assert.equal(hashBytes(bytes, 1, bytes.length), hashWord('Aélan'));
  // All bits are used: each half of the range holds about half of the hashes, and so does each remainder.
  for (const divisor of [2, 2 ** 20, 2 ** 32, 2 ** 52]) {
    const odd = hashes.filter((hash) => Math.floor(hash / (divisor / 2)) % 2 === 1).length;
    assert.ok(odd > 98_000 && odd < 102_000, `${divisor}: ${odd}`);
  }
});
