// Metadata document: the EDMX at $metadata that says which fields, lists and lookups are served.

import type { Field } from '../fields/field.ts';
import { propertyFields } from '../fields/property.ts';
import { lookupRows } from './lookups.ts';
import { NAVIGATION } from './property.ts';

const NAMESPACE = 'org.reso.metadata';

const MEDIA: Readonly<Record<string, string>> = {
  MediaKey: 'String',
  ResourceName: 'String',
  ResourceRecordKey: 'String',
  ResourceRecordID: 'String',
  MediaObjectID: 'String',
  MediaURL: 'String',
  MediaCategory: 'String',
  Order: 'Int64',
  ImageWidth: 'Int64',
  ImageHeight: 'Int64',
  ImageSizeDescription: 'String',
  ShortDescription: 'String',
  PreferredPhotoYN: 'Boolean',
  MediaModificationTimestamp: 'DateTimeOffset',
  ModificationTimestamp: 'DateTimeOffset',
  OriginatingSystemName: 'String',
};

const OPEN_HOUSE: Readonly<Record<string, string>> = {
  OpenHouseKey: 'String',
  OpenHouseId: 'String',
  ListingKey: 'String',
  ListingId: 'String',
  OpenHouseDate: 'Date',
  OpenHouseStartTime: 'DateTimeOffset',
  OpenHouseEndTime: 'DateTimeOffset',
  OpenHouseStatus: 'String',
  OpenHouseType: 'String',
  OpenHouseRemarks: 'String',
  AppointmentRequiredYN: 'Boolean',
  LivestreamOpenHouseURL: 'String',
  OriginalEntryTimestamp: 'DateTimeOffset',
  ModificationTimestamp: 'DateTimeOffset',
  OriginatingSystemName: 'String',
};

const LOOKUP: Readonly<Record<string, string>> = {
  LookupKey: 'String',
  LookupName: 'String',
  LookupValue: 'String',
  StandardLookupValue: 'String',
  LegacyODataValue: 'String',
  ModificationTimestamp: 'DateTimeOffset',
};

export interface MetadataOptions {
  /** Names of fields beside those of the dictionary. */
  readonly fields: readonly string[];
  /** Whether photos are a field of a record, and cannot be expanded. */
  readonly isMediaInline: boolean;
  /** The name that stands for a value of a field; null: the value itself is served. */
  readonly nameOf: (field: string, value: string) => string | null;
  /** Names of fields that are served by another name. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Whether a field of a listing, or an expansion, is not there. */
  readonly lacks: (name: string) => boolean;
  /** Fields of Lookup beside those of the dictionary; null: there is no Lookup. */
  readonly lookup: readonly string[] | null;
  /** A value of a lookup as people read it now. */
  readonly textOf: (lookup: string, value: string) => string;
  /** Types of the fields of resources that are served by themselves, by resource. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const OWN_METADATA: MetadataOptions = {
  fields: [],
  isMediaInline: false,
  nameOf: () => null,
  renamed: {},
  lacks: () => false,
  lookup: [],
  textOf: (_, value) => value,
  resources: {},
};

/** Fields of the children of listings. */
export const CHILD_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Media: MEDIA,
  OpenHouse: OPEN_HOUSE,
};

export function metadataXml(options: MetadataOptions): string {
  const navigation = NAVIGATION.filter((name) => !options.lacks(name)).map((name) =>
    options.isMediaInline && name === 'Media'
      ? `<Property Name="${name}" Type="Collection(${NAMESPACE}.${name})"/>`
      : `<NavigationProperty Name="${name}" Type="Collection(${NAMESPACE}.${name})"/>`,
  );
  const own = options.fields.map((name) => {
    const type = name.endsWith('Timestamp') ? 'DateTimeOffset' : 'Boolean';
    return `<Property Name="${name}" Type="Edm.${type}"/>`;
  });
  const enumerations = enumerationsOf(options);
  const property = [
    ...[...propertyFields.values()]
      .filter(({ name }) => !options.lacks(name))
      .map((field) => propertyXml(field, enumerations.has(field.name), options.renamed)),
    ...own,
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">',
    '<edmx:DataServices>',
    `<Schema Namespace="${NAMESPACE}" xmlns="http://docs.oasis-open.org/odata/ns/edm">`,
    entityXml('Property', 'ListingKey', [...property, ...navigation]),
    ...(options.lookup === null
      ? []
      : [entityXml('Lookup', 'LookupKey', plainXml({ ...LOOKUP, ...strings(options.lookup) }))]),
    ...Object.entries({ ...CHILD_FIELDS, ...options.resources }).map(([name, fields]) =>
      entityXml(name, Object.keys(fields)[0] ?? '', plainXml(fields)),
    ),
    ...enumerations.values(),
    '<EntityContainer Name="Container">',
    `<EntitySet Name="Property" EntityType="${NAMESPACE}.Property"/>`,
    ...(options.lookup === null ? [] : [`<EntitySet Name="Lookup" EntityType="${NAMESPACE}.Lookup"/>`]),
    ...Object.keys(options.resources).map(
      (name) => `<EntitySet Name="${name}" EntityType="${NAMESPACE}.${name}"/>`,
    ),
    '</EntityContainer>',
    '</Schema>',
    '</edmx:DataServices>',
    '</edmx:Edmx>',
    '',
  ].join('\n');
}

const strings = (fields: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map((name) => [name, 'String']));

function entityXml(name: string, key: string, members: readonly string[]): string {
  return [
    `<EntityType Name="${name}">`,
    `<Key><PropertyRef Name="${key}"/></Key>`,
    ...members,
    '</EntityType>',
  ].join('\n');
}

function plainXml(fields: Readonly<Record<string, string>>): string[] {
  return Object.entries(fields).map(([name, type]) => `<Property Name="${name}" Type="Edm.${type}"/>`);
}

/** The types of fields whose values are served by name, as XML, by the fields. */
function enumerationsOf({ nameOf, textOf }: MetadataOptions): Map<string, string> {
  const types = new Map<string, string>();
  for (const { name, lookup } of propertyFields.values()) {
    const members = lookupRows
      .filter(({ LookupName }) => LookupName === lookup)
      .flatMap(({ LookupValue }) => {
        const member = nameOf(name, LookupValue);
        return member === null ? [] : [memberXml(member, textOf(lookup ?? name, LookupValue))];
      });
    if (members.length > 0)
      types.set(name, [`<EnumType Name="${name}Values">`, ...members, '</EnumType>'].join('\n'));
  }
  return types;
}

const memberXml = (name: string, text: string): string =>
  `<Member Name="${name}"><Annotation Term="RESO.OData.Metadata.StandardName" String="${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/></Member>`;

function propertyXml(field: Field, isEnumerated: boolean, renamed: MetadataOptions['renamed']): string {
  const name = renamed[field.name] ?? field.name;
  if (isEnumerated) return `<Property Name="${name}" Type="${NAMESPACE}.${field.name}Values"/>`;
  const type = field.many ? `Collection(Edm.${field.type})` : `Edm.${field.type}`;
  const precision = field.type === 'DateTimeOffset' ? ' Precision="3"' : '';
  if (field.lookup === null) return `<Property Name="${name}" Type="${type}"${precision}/>`;
  return [
    `<Property Name="${name}" Type="${type}">`,
    `<Annotation Term="RESO.OData.Metadata.LookupName" String="${field.lookup}"/>`,
    '</Property>',
  ].join('');
}
