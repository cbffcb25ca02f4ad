// Metadata document: the EDMX at $metadata that says which fields, lists and lookups are served.

import type { Field } from '../fields/field.ts';
import { propertyFields } from '../fields/property.ts';
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

export function metadataXml(): string {
  const navigation = NAVIGATION.map(
    (name) => `<NavigationProperty Name="${name}" Type="Collection(${NAMESPACE}.${name})"/>`,
  );
  const property = [...propertyFields.values()].map(propertyXml);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">',
    '<edmx:DataServices>',
    `<Schema Namespace="${NAMESPACE}" xmlns="http://docs.oasis-open.org/odata/ns/edm">`,
    entityXml('Property', 'ListingKey', [...property, ...navigation]),
    entityXml('Media', 'MediaKey', plainXml(MEDIA)),
    entityXml('OpenHouse', 'OpenHouseKey', plainXml(OPEN_HOUSE)),
    entityXml('Lookup', 'LookupKey', plainXml(LOOKUP)),
    '<EntityContainer Name="Container">',
    `<EntitySet Name="Property" EntityType="${NAMESPACE}.Property"/>`,
    `<EntitySet Name="Lookup" EntityType="${NAMESPACE}.Lookup"/>`,
    '</EntityContainer>',
    '</Schema>',
    '</edmx:DataServices>',
    '</edmx:Edmx>',
    '',
  ].join('\n');
}

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

function propertyXml(field: Field): string {
  const type = field.many ? `Collection(Edm.${field.type})` : `Edm.${field.type}`;
  const precision = field.type === 'DateTimeOffset' ? ' Precision="3"' : '';
  if (field.lookup === null) return `<Property Name="${field.name}" Type="${type}"${precision}/>`;
  return [
    `<Property Name="${field.name}" Type="${type}">`,
    `<Annotation Term="RESO.OData.Metadata.LookupName" String="${field.lookup}"/>`,
    '</Property>',
  ].join('');
}
