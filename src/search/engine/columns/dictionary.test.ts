// Proves that words which were shared stay what they were, and come back with their codes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyDictionaries, createDictionaries, shareDictionaries } from './dictionary.ts';

test('words that are added after others were shared change nothing of what was shared, nor of the file that it is written to', async () => {
  const dictionaries = createDictionaries();
  for (const word of ['Springfield', 'Ávila']) dictionaries.city.code(word);
  const shared = shareDictionaries(dictionaries);
  const bytes = () => [Buffer.from(shared.city.bytes).toString(), [...shared.city.ends]];
  const before = bytes();
  dictionaries.city.code('Zuni');
  assert.deepEqual(bytes(), before);
  const { city } = await copyDictionaries(shared);
  assert.deepEqual(
    [1, 2].map((code) => city.word(code)),
    ['Springfield', 'Ávila'],
  );
  assert.equal(city.size, 3);
});
