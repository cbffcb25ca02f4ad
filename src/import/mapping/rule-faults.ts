// Faults of one rule of a map file beyond its shape: parts that exclude each other or do not fit the field.

import { ADDRESS_PARTS } from './address-parts.ts';
import { patternFault } from './dates.ts';
import { type Field, LIST_KINDS, NUMBER_KINDS, Unreadable } from './fields.ts';
import { NUMBER_FORMATS } from './numbers.ts';
import { projectionName } from './projections.ts';
import { type Rule, readRaw } from './rule.ts';

const SOURCES = ['column', 'columns', 'constant'] as const;

/** Sentences without the rule's place. */
export function ruleFaults(rule: Rule, field: Field): string[] {
  return [
    ...sourceFaults(rule),
    ...fitFaults(rule, field),
    ...formatFaults(rule, field),
    ...partFaults(rule, field),
    ...projectionFaults(rule, field),
    ...fixedFaults(rule, field),
  ];
}

function sourceFaults(rule: Rule): string[] {
  const given = SOURCES.filter((name) => rule[name] !== undefined);
  const faults: string[] = [];
  if (given.length !== 1)
    faults.push(`give one of ${SOURCES.join(', ')}${given.length > 1 ? ', not several' : ''}`);
  if (rule.join !== undefined && rule.columns === undefined) faults.push('join is for columns');
  if (rule.when && (rule.when.is === undefined) === (rule.when.isNot === undefined)) {
    faults.push('when needs either is or isNot');
  }
  if (rule.constant !== undefined) {
    for (const name of [
      'values',
      'nulls',
      'default',
      'lenient',
      'prefix',
      'unitColumn',
      'part',
      'suffixes',
      'projection',
    ] as const) {
      if (rule[name] !== undefined) faults.push(`${name} does nothing for a constant`);
    }
  }
  return faults;
}

function fitFaults(rule: Rule, { kind, required }: Field): string[] {
  const faults: string[] = [];
  const fits = (name: keyof Rule, does: boolean, meant: string): void => {
    if (rule[name] !== undefined && !does) faults.push(`${name} is for ${meant}`);
  };
  fits('unit', kind === 'area', 'livingArea and lotSize');
  fits('unitColumn', kind === 'area', 'livingArea and lotSize');
  fits('per', kind === 'monthlyMoney', 'associationFee and tax');
  fits('separator', LIST_KINDS.includes(kind), 'lists');
  fits('prefix', kind === 'text', 'texts');
  fits('unitInCell', kind === 'area', 'livingArea and lotSize');
  fits('factor', NUMBER_KINDS.includes(kind), 'numbers');
  fits('suffixes', NUMBER_KINDS.includes(kind), 'numbers');
  fits('projection', kind === 'degrees', 'location.lat and location.lng');
  const takesSeveral = kind === 'text' || LIST_KINDS.includes(kind) || rule.projection !== undefined;
  fits('columns', takesSeveral, 'texts, lists and projections');
  if (rule.columns !== undefined && kind === 'text' && rule.join === undefined && rule.columns.length > 1) {
    faults.push('columns needs join, the text between them');
  }
  if (required && rule.lenient) faults.push('lenient is for fields that may be empty');
  return faults;
}

function formatFaults({ format }: Rule, { kind }: Field): string[] {
  if (format === undefined) return [];
  if (['date', 'time', 'timeOrDate'].includes(kind)) {
    const fault = patternFault(format);
    return fault === null ? [] : [`format ${format} ${fault}`];
  }
  if (!NUMBER_KINDS.includes(kind)) return ['format is for numbers, dates and times'];
  return NUMBER_FORMATS.includes(format) ? [] : [`format must be ${NUMBER_FORMATS.join(' or ')}`];
}

function partFaults({ part, columns }: Rule, { kind }: Field): string[] {
  if (part === undefined) return [];
  if (columns !== undefined) return ['part takes one column'];
  const isOfAddress = (ADDRESS_PARTS as readonly string[]).includes(part);
  if (isOfAddress) return kind === 'text' ? [] : [`part ${part} is for texts`];
  return NUMBER_KINDS.includes(kind) ? [] : [`part ${part} is for numbers`];
}

function projectionFaults({ projection, columns }: Rule, { kind }: Field): string[] {
  if (projection === undefined || kind !== 'degrees') return [];
  if (projectionName(projection) === null)
    return [
      `projection ${projection} is not converted: EPSG:3857, EPSG:27700 and the zones of UTM (EPSG:326xx, EPSG:327xx, EPSG:258xx) are; \`ogr2ogr -t_srs EPSG:4326\` converts others`,
    ];
  return columns?.length === 2 ? [] : ['projection needs two columns, the one to the east first'];
}

/** Values that stand in the map itself must be readable as they are. */
function fixedFaults(rule: Rule, field: Field): string[] {
  const fixed = [
    ['constant', rule.constant],
    ['default', rule.default],
    ...Object.entries(rule.values ?? {}).map(([text, value]) => [`values "${text}"`, value] as const),
  ] as const;
  return fixed.flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    try {
      readRaw(value, field, { timeZone: 'UTC' });
      return [];
    } catch (error) {
      if (error instanceof Unreadable) return [`${name}: ${JSON.stringify(value)} ${error.message}`];
      throw error;
    }
  });
}
