// Faults that somebody could write into the engine: each one changes a line, and the named tests have to notice.

export interface Mutation {
  /** As seen from src/search/engine. */
  readonly file: string;
  /** Stands in the file once. */
  readonly from: string;
  readonly to: string;
  readonly test: string;
  /** Of the tests in the file, those that have to notice; default: any. */
  readonly named?: string;
}

type Change = readonly [from: string, to: string, named?: string];

const within = (file: string, test: string, changes: readonly Change[]): Mutation[] =>
  changes.map(([from, to, named]) => ({ file, test, from, to, ...(named !== undefined && { named }) }));

const QUESTIONS = 'test/search/engine/questions.test.ts';
const BLOCKS = 'test/search/engine/blocks.test.ts';
const COUNTS = 'test/search/engine/count-sets.test.ts';
const SUMMARIES = 'test/search/summaries.test.ts';
const SHAPE_EDGES = 'test/search/shape-edges.test.ts';
const SCHEDULER = 'src/lib/scheduler.test.ts';
const SWITCH = 'src/search/switch/backend-switch.test.ts';
const SAME = 'src/cli/doctor/same-answer.test.ts';
const RECORDS = 'test/search/record-cache.test.ts';
const EDGES = 'test/search/edges.test.ts';
const ENGINE = 'test/search/engine/engine.test.ts';
const SERVICE = 'test/search/engine/service.test.ts';
const BUILD = 'src/search/engine/segments/build-segment.test.ts';
const ZONES = 'src/search/engine/segments/zones.test.ts';
const WRITER = 'src/search/engine/lifecycle/generation-writer.test.ts';
const AREAS = 'src/search/engine/questions/area-filter.test.ts';
const CELLS = 'src/search/engine/questions/cell-numbers.test.ts';
const MANAGER = 'src/search/engine/lifecycle/index-manager.test.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...within('questions/number-filters.ts', QUESTIONS, [
    ['if (value >= min && value <= max) kept++;', 'if (value > min && value <= max) kept++;', 'kind range'],
    ['if (value >= min && value <= max) kept++;', 'if (value >= min && value < max) kept++;', 'kind range'],
    ['value > 0 ? -1n : 1n', 'value > 0 ? 1n : -1n', 'kind range'],
    ['if (value === 0) return -Number.MIN_VALUE;', 'if (value === 0) return 0;', 'kind range'],
    ['if (days >= min && days <= max) kept++;', 'if (days > min && days <= max) kept++;', 'kind range'],
    ['if (days >= min && days <= max) kept++;', 'if (days >= min && days < max) kept++;', 'kind range'],
    ['Number.isNaN(end) ? startedAt : end', 'Number.isNaN(end) ? startedAt : startedAt', 'kind range'],
    ['Math.max(0, Math.floor(seconds', 'Math.max(0, Math.ceil(seconds', 'kind range'],
    ['isWanted(values[row] as number)', '(list[0] === values[row])', 'kind numbers'],
    ['bits: (value ? 3 : 1) << place', 'bits: (value ? 3 : 0) << place', 'kind flag'],
    ['value, (each) => !Number.isNaN(each))', 'value, (each) => each > 0)', 'kind flag'],
    ['value, (each) => each > 0)', 'value, (each) => each >= 0)', 'kind flag'],
    ['>= end || (values', '> end || (values', 'kind open'],
    ['(values[hours + 1] as number) < start', '(values[hours + 1] as number) <= start', 'kind open'],
  ]),
  ...within('questions/number-filters.ts', BLOCKS, [
    ['return low <= max && high >= min', 'return low < max && high >= min'],
    ['return low <= max && high >= min', 'return low <= max && high > min'],
  ]),
  ...within('questions/shape-filters.ts', QUESTIONS, [
    ['lng >= edges[0] &&', 'lng > edges[0] &&', 'kind boxes'],
    ['lat >= edges[1] &&', 'lat > edges[1] &&', 'kind boxes'],
    ['lng <= edges[2] &&', 'lng < edges[2] &&', 'kind boxes'],
    ['lat <= edges[3])', 'lat < edges[3])', 'kind boxes'],
    ['lng >= west && lat >= south', 'lng > west && lat >= south', 'kind boxes'],
    ['lng >= west && lat >= south', 'lng >= west && lat > south', 'kind boxes'],
    ['lng <= east && lat <= north', 'lng < east && lat <= north', 'kind boxes'],
    ['lng <= east && lat <= north', 'lng <= east && lat < north', 'kind boxes'],
    ['if (holds === null) return left;', 'if (holds !== undefined) return left;', 'kind circle'],
  ]),
  ...within('questions/shape-filters.ts', BLOCKS, [
    ['if (west <= box[2] &&', 'if (west < box[2] &&'],
    ['east >= box[0] &&', 'east > box[0] &&'],
    ['south <= box[3] &&', 'south < box[3] &&'],
    ['north >= box[1])', 'north > box[1])'],
  ]),
  ...within('questions/scan.ts', BLOCKS, [
    ['value < least', 'value > least'],
    ['value > most', 'value < most'],
  ]),
  ...within('questions/polygon-filter.ts', BLOCKS, [
    ['Math.max(fromX, toX) < west', 'Math.min(fromX, toX) < west'],
    ['Math.min(fromY, toY) > north', 'Math.max(fromY, toY) > north'],
    ['sides.every((side) => side > 0)', 'sides.some((side) => side > 0)'],
    ["isLocated(lngs, first, end) ? 'all' : 'some'", "'all'"],
    ['if (Number.isNaN(lng)) continue;', ''],
    ["crossed.length === 0 ? 'none' : crossed", "'none'"],
    ['[part.shell, ...part.holes].flatMap', '[part.shell].flatMap'],
    [
      "else if (part.holds(box[0], box[1])) return 'all';",
      "else if (part.holds(box[0], box[1])) return 'none';",
    ],
  ]),
  ...within('questions/polygon-filter.ts', QUESTIONS, [
    ['isInBoxes(boxes, lng, lat) && isInParts(near, lng, lat)', 'isInBoxes(boxes, lng, lat)', 'kind polygon'],
  ]),
  ...within('questions/word-filters.ts', BLOCKS, [
    ["return takesActive ? 'all' : 'none';", "return 'all';"],
    ["first >= shown && takesNothingElse ? 'none'", "end >= shown && takesNothingElse ? 'none'"],
    ['Uint32Array.from(new Set(rows)).sort()', 'Uint32Array.from(new Set(rows))'],
    ['Uint32Array.from(new Set(rows)).sort()', 'Uint32Array.from(rows).sort()'],
    ['(relevance[row] as number) > 0', '(relevance[row] as number) > 1'],
  ]),
  ...within('questions/area-filter.ts', AREAS, [
    ['if (isFound[place] === 1) rows[kept++]', 'rows[kept++]'],
    ['const place = (list[at] as number) - first;', 'const place = at;'],
    ['count += 1 - (isFound[place] as number);', 'count += 1;'],
  ]),
  ...within('questions/cell-numbers.ts', CELLS, [
    ['if (share.keys[slot] === key) return share.numbers[slot] as number;', ''],
    ['larger.numbers[slot] = numbers[at] as number;', ''],
  ]),
  ...within('questions/word-filters.ts', QUESTIONS, [
    [
      'kept += isWanted[codes[row] as number] as number;',
      'kept += 1 - (isWanted[codes[row] as number] as number);',
      'kind words',
    ],
    ['if (codes[row] === code) kept++;', 'if (codes[row] !== code) kept++;', 'kind words'],
    ['text.length !== length ||', '', 'kind words'],
    ['>= start.length && startsWith', '> start.length && startsWith', 'kind address'],
    ['if (isWanted[value] !== 1 && ', 'if (isWanted[value] === 1 && ', 'kind areas'],
    ["flagBits('displayed', true))]", "flagBits('displayed', false))]", 'may be shown'],
    ['all && codes.length < known.length', 'all && codes.length < 0', 'kind list'],
    ['return all ? together', 'return !all ? together', 'kind list'],
  ]),
  ...within('questions/text-match.ts', QUESTIONS, [
    ['(marks & (PLAIN | FIELD_BITS.id)) !== 0', '(marks & PLAIN) !== 0', 'kind text'],
    ['if (wanted.has(values[at] as number))', 'if (wanted.has(-1))', 'kind text'],
    ['(within & asked) !== 0', 'within !== 0', 'kind text'],
    ["if (fields.includes('area')) yield", 'yield', 'kind text'],
  ]),
  ...within('questions/text-match.ts', QUESTIONS, [['else relevance[row] = 0;', '', 'may be shown']]),
  ...within('questions/text-match.ts', EDGES, [
    ['1 << (31 - Math.clz32(bits))', 'bits & -bits', 'memory: a word is worth'],
  ]),
  ...within('../query/shape-predicate.ts', SHAPE_EDGES, [
    ['distanceKm(centre, lng, lat) <= km', 'distanceKm(centre, lng, lat) < km'],
  ]),
  ...within('../switch/backend-switch.ts', SWITCH, [
    ['each.statuses.every(isIndexed)', 'each.statuses.some(isIndexed)'],
    ["counts[isOnMarket(set) ? 'inMemory' : 'others']", "counts[isOnMarket(set) ? 'others' : 'inMemory']"],
    ['&& !isCurrent) lagMs', '&& isCurrent) lagMs'],
    ['if (generation !== undefined) return generation;', ''],
    ['generation = CLOSED;', ''],
  ]),
  ...within('../../lib/scheduler.ts', SCHEDULER, [
    ['#sliceStart >= SLICE', '#sliceStart > SLICE'],
    ['#start >= ITERATION', '#start >= 2 * ITERATION'],
    ['this.#worked >= expensive.after', 'this.#worked > expensive.after'],
    ['this.#slot?.signal.throwIfAborted();', ''],
    ['if (this.isIterationOver) await', 'if (!this.isIterationOver) await'],
    ['!(isExpensive && this.#hasRunExpensive)', '!isExpensive || this.#hasRunExpensive'],
    ['this.#slot?.leave();', ''],
  ]),
  ...within('../../cli/doctor/same-answer.ts', SAME, [
    ['one.length === other.length && ', ''],
    ['<= TOLERANCE *', '< -TOLERANCE *'],
  ]),
  ...within('../http/record-cache.ts', RECORDS, [
    ['record?.version === version', 'record !== undefined'],
    ['isUsed ? this : null', 'this'],
  ]),
  ...within('questions/scan.ts', BLOCKS, [
    ['Math.min((end + 31) >>> 5', 'Math.min(first >>> 5'],
    ['{ columns: tail, removed: tailRemoved }', '{ columns: tail, removed: baseRemoved }'],
    ['return any === 0 ? count', 'return any !== 0 ? count'],
    ["if (judgement === 'none') return false;", "if (judgement === 'all') return false;"],
  ]),
  ...within('columns/segment.ts', BLOCKS, [['(row & 31)', '(row & 15)']]),
  ...within('questions/ranking.ts', QUESTIONS, [
    [
      'Number.isNaN(value) ? Number.POSITIVE_INFINITY',
      'Number.isNaN(value) ? Number.NEGATIVE_INFINITY',
      'pages',
    ],
    ['descending ? -value : value);', 'descending ? value : value);', 'pages'],
    [
      'distanceKm(centre, lng[row] as number, lat[row] as number)',
      'distanceKm(centre, lat[row] as number, lng[row] as number)',
      'pages',
    ],
    [
      'daysOnMarket(starts, ends, row, startedAt));',
      'daysOnMarket(starts, undefined, row, startedAt));',
      'pages',
    ],
    ['if (!Number.isFinite(ascending)) return null;', 'if (!Number.isFinite(ascending)) return 0;', 'pages'],
  ]),
  ...within('questions/ranking.ts', QUESTIONS, [
    ['=== (this.direction === 1) ? -1 : 1', '=== (this.direction === 1) ? 1 : 1', 'pages'],
    ['compareToId(columns, row, start)) > 0', 'compareToId(columns, row, start)) >= 0', 'pages'],
    ['if (key < least ||', 'if (key <= least ||', 'pages'],
    ['key > this.#highest)', 'key >= this.#highest)', 'pages'],
    ['own === rank && isFound ? 0 : own < rank', 'own === rank && isFound ? 0 : own > rank', 'pages'],
  ]),
  ...within('questions/page.ts', QUESTIONS, [
    ['known - 1 - place : rows.length', 'known - place : rows.length', 'pages'],
    ['rows.length - 1 - (place - known)', 'rows.length - 1 - place', 'pages'],
    ['return isBackwards ? place - 1 : place;', 'return isBackwards ? place : place;', 'pages'],
    ['count = narrowLive(baseRemoved, rows, count);', '', 'pages'],
    ['others.length > 0 ? undefined', 'others.length > 9 ? undefined', 'pages'],
    ['order === undefined ? Number.POSITIVE_INFINITY', 'order === undefined ? bounds.ranked', 'pages'],
    ['order === undefined || total <= max;', 'order === undefined || total > 0;', 'pages'],
    ['await rankParts([tail], search, first);', '', 'pages'],
    ['if (walked === null) return null;', 'if (walked === null) return [];', 'pages'],
  ]),
  ...within('questions/facets.ts', SUMMARIES, [
    ['code !== 0', 'code !== 1', 'facets count'],
    ['(columns) => columns.lists.features', '(columns) => columns.lists.pets', 'facets count'],
    ['(columns) => columns.areaNos', '(columns) => columns.lists.features', 'facets count'],
    ['numberCounter(facet, 1)', "numberCounter('bedrooms', 1)", 'facets count'],
    ['numberCounter(facet, 1)', "numberCounter('bathrooms', 1)", 'facets count'],
    ['codeCounter(facet,', "codeCounter('status',", 'facets count'],
    ['codeCounter(facet,', "codeCounter('city',", 'facets count'],
    ['Math.floor(value / 10) * 10', 'Math.round(value / 10) * 10', 'facets count'],
    ['value !== 0', 'value !== 9', 'prices are counted'],
  ]),
  ...within('questions/facets.ts', EDGES, [['<= startOf(slot)', '<= startOf(slot + 1)', 'memory: prices']]),
  ...within('questions/cells.ts', SUMMARIES, [
    ['columns - 1)', 'columns)', 'clusters hold'],
    ['lines - 1)', 'lines)', 'clusters hold'],
    ['sums[first + 4] as number) + lng', 'sums[first + 4] as number) + lat', 'clusters hold'],
    ['if (!Number.isNaN(price)) own', 'if (price >= 1e5) own', 'clusters hold'],
  ]),
  ...within('questions/quantiles.ts', SUMMARIES, [['(high - low) * share', '0', 'figures are']]),
  ...within('questions/engine-backend.ts', SERVICE, [
    ['listing?.version === version || matching.has(id)', 'listing !== undefined', 'a walk meets'],
    ['plan.limit + 1 + 2 * gone.size', 'plan.limit + 1', 'a walk meets'],
    ['read < MAX_READS || hits.length === 0', 'read < MAX_READS', 'a walk meets'],
  ]),
  ...within('questions/engine-backend.ts', COUNTS, [
    ['conditions: plan.conditions.filter(isCurrency)', 'conditions: []', 'a plain loop'],
  ]),
  ...within('questions/engine-backend.ts', QUESTIONS, [
    ['  await offer();\n  return first;', '  return first;', 'very many values'],
    ['other.count - one.count ||', '', 'very many values'],
  ]),
  ...within('../../lib/lower-bound.ts', QUESTIONS, [
    ['if (first.length > limit) first.pop();', '', 'very many values'],
  ]),
  ...within('questions/count-sets.ts', COUNTS, [
    ['| (1 << (place & 31))', '| (1 << (place & 15))', 'a plain loop'],
    ['(JOINED_BITS[word] as number) & (own', '(JOINED_BITS[word] as number) | (own', 'a plain loop'],
    ['0x5555_5555', '0x1555_5555', 'a plain loop'],
  ]),
  ...within('segments/merged-rows.ts', BUILD, [
    ['value === other && (base.idRanks', 'value !== other && (base.idRanks'],
    ['key === added && (base.idRanks', 'key !== added && (base.idRanks'],
    ['isGone ? GONE : next', 'next'],
    ['if (row < base.shown) shown++;', 'shown++;'],
    ['place : place + 2 * BEYOND_CURVE', 'place : place'],
  ]),
  ...within('segments/zones.ts', ZONES, [
    ['if (value <= low) low = value;', 'if (value >= low) low = value;'],
    ['(block + 1) * BLOCK_ROWS)', '(block + 1) * BLOCK_ROWS - 1)'],
    ['const isKnown = low <= high;', 'const isKnown = true;'],
  ]),
  ...within('lifecycle/generation-writer.ts', WRITER, [
    [
      'for (const type of LISTING_TYPES) this.#writers[type].remove(row.id);',
      'this.#writers[row.listing_type].remove(row.id);',
    ],
    ['if (isIndexed(row.status)) this', 'this'],
  ]),
  ...within('lifecycle/generation-writer.ts', EDGES, [
    [
      'for (const type of LISTING_TYPES) this.#writers[type].remove(row.id);',
      'this.#writers[row.listing_type].remove(row.id);',
      'memory: a home',
    ],
  ]),
  ...within('lifecycle/table-writer.ts', EDGES, [
    ['this.#tailRemoved.add(tailRow);', '', 'memory: a home'],
    ['this.#baseRemoved.add(row);', '', 'memory: what'],
    ['this.#baseRemoved.add(row);', '', 'memory: the homes of an area'],
  ]),
  ...within('lifecycle/table-writer.ts', WRITER, [
    ['this.#tailRemoved.add(tailRow);', ''],
    ['this.#baseRemoved.add(row);', ''],
  ]),
  ...within('lifecycle/removed-rows.ts', WRITER, [['if (this.#isShared || word', 'if (word']]),
  ...within('lifecycle/index-manager.ts', MANAGER, [['this.#kept?.push(...changes);', '']]),
  ...within('lifecycle/engine.ts', ENGINE, [
    ['requireMemory(progress.rows, this.#memory, progress.total);', '', 'too little memory'],
  ]),
];
