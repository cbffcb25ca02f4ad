// Proves that a query string is either read exactly as it was meant or refused by name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { Problem } from '../../lib/problem.ts';
import { UnreadParameters } from './parameter-problem.ts';
import { compileQuery } from './query.ts';

const schema = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 20, aliases: ['pageSize', 'resultsPerPage'] }),
  radius: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100 })),
  status: Type.Optional(Type.Array(Type.Enum(['ACTIVE', 'PENDING', 'CLOSED']), { caseInsensitive: true })),
  sort: Type.Optional(Type.Union([Type.Literal('price'), Type.Literal('-price')], { caseInsensitive: true })),
  city: Type.Optional(Type.Array(Type.String(), { separator: null, maxItems: 3, uniqueItems: true })),
  points: Type.Optional(Type.Array(Type.Integer(), { separator: ';' })),
  sizes: Type.Optional(Type.Array(Type.Number(), { uniqueItems: true, aliases: ['areas'] })),
  explain: Type.Optional(Type.Boolean()),
  since: Type.Optional(Type.Union([Type.String({ format: 'date' }), Type.String({ pattern: '^P\\d+D$' })])),
  name: Type.Optional(Type.String({ maxLength: 10 })),
  zoom: Type.Optional(Type.Enum([0, 1, 2])),
});
const read = compileQuery(schema);

function faults(text: string, parse = read): readonly (string | undefined)[] {
  try {
    parse(text);
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'INVALID_PARAMETER', String(error));
    return error.errors.map(({ parameter, suggestion }) =>
      suggestion ? `${parameter}~${suggestion}` : parameter,
    );
  }
  assert.fail(`${text} was accepted`);
}

test('values arrive typed, under their main names, with defaults', () => {
  assert.deepEqual(read(''), { limit: 20 });
  assert.deepEqual(read('pageSize=5&radius=0.5&explain=false&zoom=2'), {
    limit: 5,
    radius: 0.5,
    explain: false,
    zoom: 2,
  });
  assert.deepEqual(read('status=active,PENDING&status=Closed'), {
    limit: 20,
    status: ['ACTIVE', 'PENDING', 'CLOSED'],
  });
  assert.deepEqual(read('city=Washington,%20DC&city=New+York'), {
    limit: 20,
    city: ['Washington, DC', 'New York'],
  });
  assert.deepEqual(read('points=1;2;-3&since=P7D'), { limit: 20, points: [1, 2, -3], since: 'P7D' });
  assert.deepEqual(read('status=ACTIVE%2CCLOSED&since=2024-02-29'), {
    limit: 20,
    status: ['ACTIVE', 'CLOSED'],
    since: '2024-02-29',
  });
});

test('every faulty parameter is named at once, with what was meant where that is near', () => {
  assert.deepEqual(faults('limt=1&radius=x&status=ACTIV&explain=1&nonsense=2'), [
    'limt~limit',
    'radius',
    'status~ACTIVE',
    'explain',
    'nonsense',
  ]);
});

test('a single-valued parameter given twice, or beside its alias, is refused', () => {
  assert.deepEqual(faults('limit=1&limit=1'), ['limit']);
  assert.deepEqual(faults('limit=1&pageSize=1'), ['pageSize']);
  assert.deepEqual(faults('pageSize=1&limit=1'), ['limit']);
  assert.deepEqual(faults('pageSize=1&resultsPerPage=1'), ['resultsPerPage']);
});

test('what could not be read is named as it was sent, as the parameter is called, and as it was suggested', () => {
  assert.throws(
    () => read('pageSize=none&radus=1&name=Ann&areas=x'),
    (error: unknown) => {
      assert.ok(error instanceof UnreadParameters);
      assert.deepEqual(error.readable, { limit: 20, name: 'Ann' });
      const unread = ['areas', 'limit', 'pageSize', 'radius', 'radus', 'sizes'];
      assert.deepEqual([...error.unread].sort(), unread);
      return true;
    },
  );
});

test('lists are bounded, refuse empty items, and repeat nothing where items are unique', () => {
  assert.deepEqual(faults('city=a&city=b&city=c&city=d'), ['city']);
  assert.deepEqual(faults('city=a&city=a'), ['city']);
  assert.deepEqual(faults('sizes=1,1.0'), ['sizes']);
  assert.deepEqual(faults('status=ACTIVE,'), ['status']);
  assert.deepEqual(faults('status='), ['status']);
  assert.deepEqual(faults(`points=${'1;'.repeat(200)}1`), ['points']);
});

test('bounds are inclusive where the schema says so', () => {
  assert.equal(read('limit=500').limit, 500);
  assert.deepEqual(faults('limit=501'), ['limit']);
  assert.deepEqual(faults('limit=0'), ['limit']);
  assert.deepEqual(faults('radius=0'), ['radius']);
  assert.equal(read('radius=100').radius, 100);
});

test('dates must exist', () => {
  for (const date of [
    '2026-02-29',
    '2026-13-01',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    'P7',
    ' 2026-01-01',
  ])
    assert.deepEqual(faults(`since=${date}`), ['since'], date);
});

test('a required parameter that is missing is named', () => {
  const parse = compileQuery(
    Type.Object({ listingType: Type.Enum(['rental', 'sale'], { aliases: ['dataType'] }) }),
  );
  assert.deepEqual(faults('', parse), ['listingType']);
  assert.deepEqual(parse('dataType=sale'), { listingType: 'sale' });
});

test('credentials in an address get the remedy, and their value is repeated nowhere', () => {
  try {
    read('api_key=SERVICE-0123');
    assert.fail('accepted');
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.match(error.message, /Authorization: Bearer/);
    assert.ok(!JSON.stringify([error.message, error.errors]).includes('SERVICE-0123'));
  }
});

test('names of Object.prototype are unknown parameters like others', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.deepEqual(faults(`${name}=1`), [name]);
  }
  assert.equal('polluted' in {}, false);
});

test('too many parameters are refused before they are read', () => {
  assert.deepEqual(faults('a=1&'.repeat(5000)), []);
  assert.equal(faults(Array.from({ length: 150 }, (_, at) => `a${at}=1`).join('&')).length, 20);
});

test('a schema that the grammar does not know stops the service from starting', () => {
  assert.throws(() => compileQuery(Type.Object({ a: Type.Object({}) })));
  assert.throws(() => compileQuery(Type.Object({ a: Type.String({ format: 'colour' }) })));
  assert.throws(() => compileQuery(Type.Object({ a: Type.String(), b: Type.String({ aliases: ['a'] }) })));
});

test('whatever is accepted as a number writes itself back as it was sent', () => {
  const anything = compileQuery(Type.Object({ n: Type.Number(), i: Type.Integer() }));
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789.-+eExX _,%\t'), maxLength: 20 });
  fc.assert(
    fc.property(fc.oneof(digits, fc.string(), fc.double().map(String), fc.integer().map(String)), (text) => {
      const sent = encodeURIComponent(text.toWellFormed());
      for (const name of ['n', 'i'] as const) {
        const other = name === 'n' ? 'i=0' : 'n=0';
        const isNumber =
          /^-?(0|[1-9]\d{0,14})(\.\d{1,22})?$/.test(text) && (name === 'n' || !text.includes('.'));
        if (!isNumber) assert.deepEqual(faults(`${name}=${sent}&${other}`, anything), [name]);
        else assert.equal(anything(`${name}=${sent}&${other}`)[name], Number(text) === 0 ? 0 : Number(text));
      }
    }),
    { numRuns: 500 },
  );
});

test('whatever text is sent arrives unchanged, or is refused by name', () => {
  const parse = compileQuery(
    Type.Object({ q: Type.String({ maxLength: 30 }), l: Type.Array(Type.String()) }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (raw) => {
      const text = raw.toWellFormed();
      const parameters = new URLSearchParams([
        ['q', text],
        ['l', 'a'],
        ['l', 'b,c'],
      ]);
      const acceptable = text.length > 0 && text.length <= 30 && !text.includes('\0');
      if (acceptable) assert.deepEqual(parse(parameters.toString()), { q: text, l: ['a', 'b', 'c'] });
      else assert.deepEqual(faults(parameters.toString(), parse), ['q']);
    }),
  );
});

test('no text makes the parser throw anything but a 400', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom('limit=', '&', '=', '%', '%zz', '%C3%28', 'status=', ',', 'city=a'),
    ),
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      try {
        read(parts.join(''));
      } catch (error) {
        assert.ok(error instanceof Problem && error.status === 400);
      }
    }),
    { numRuns: 500 },
  );
});
