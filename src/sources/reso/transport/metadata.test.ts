// Proves that $metadata is read as servers write it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyShape } from './metadata.ts';

const edmx = (body: string) =>
  `<?xml version="1.0"?><edmx:Edmx xmlns:edmx="e"><edmx:DataServices><Schema Namespace="x.y">${body}</Schema></edmx:DataServices></edmx:Edmx>`;

test('fields, expansions and the type of the key are those of the Property entity alone', () => {
  const shape = propertyShape(
    edmx(`<EntityType Name="Member"><Property Name="MemberKey" Type="Edm.String"/></EntityType>
      <EntityType Name="Property"><Key><PropertyRef Name="ListingKey"/></Key>
      <Property Name="ListingKey" Type="Edm.Int64" Nullable="false"><Annotation Term="a" String="b"/></Property>
      <Property Type='Edm.Decimal' Name='ListPrice'/>
      <NavigationProperty Name="Media" Type="Collection(x.y.Media)"/></EntityType>
      <EntityType Name="Media"><Property Name="MediaURL" Type="Edm.String"/></EntityType>`),
  );
  assert.deepEqual(shape, {
    fields: new Set(['ListingKey', 'ListPrice']),
    expandable: new Set(['Media']),
    keyField: 'ListingKey',
    numericKey: true,
    resources: new Map(),
    lookupNames: new Map(),
  });
});

test('an entity set that names another type leads to that type', () => {
  const shape = propertyShape(
    edmx(`<EntityType Name="Listing"><Property Name="ListingKey" Type="Edm.String"/></EntityType>
      <EntityContainer Name="c"><EntitySet Name="Property" EntityType="x.y.Listing"/></EntityContainer>`),
  );
  assert.deepEqual([...(shape?.fields ?? [])], ['ListingKey']);
  assert.equal(shape?.numericKey, false);
});

test('the name of a lookup is that of the annotation of its field', () => {
  const annotation = (term: string, name: string) => `<Annotation Term="${term}" String="${name}"/>`;
  const named = annotation('RESO.OData.Metadata.LookupName', 'Types');
  const shape = propertyShape(
    edmx(`<EntityType Name="Member"><Property Name="A" Type="Edm.String">${named}</Property></EntityType>
      <EntityType Name="Property"><Property Name="ListingKey" Type="Edm.String"/>${named}
      <Property Name="B" Type="Edm.String">${annotation('Core.Description', 'B')}${named}</Property>
      <Property Name="C" Type="Edm.String"/>${annotation('RESO.OData.Metadata.LookupName', 'Nobody')}</EntityType>`),
  );
  assert.deepEqual([...(shape?.lookupNames ?? [])], [['B', 'Types']]);
});

test('resources are what has a set of its own, with the fields that it inherits', () => {
  const shape = propertyShape(
    edmx(`<EntityType Name="Property"><Property Name="ListingKey" Type="Edm.String"/></EntityType>
      <EntityType Name="Record"><Property Name="ModificationTimestamp" Type="Edm.DateTimeOffset"/></EntityType>
      <EntityType Name="Showing" BaseType="x.y.Record"><Property Name="ListingKey" Type="Edm.String"/></EntityType>
      <EntityType Name="Media"><Property Name="MediaKey" Type="Edm.String"/></EntityType>
      <EntityContainer Name="c"><EntitySet Name="Property" EntityType="x.y.Property"/>
      <EntitySet Name="OpenHouse" EntityType="x.y.Showing"/></EntityContainer>`),
  );
  assert.deepEqual(
    [...(shape?.resources ?? [])].map(([name, fields]) => [name, [...fields]]),
    [
      ['Property', ['ListingKey']],
      ['OpenHouse', ['ListingKey', 'ModificationTimestamp']],
    ],
  );
});

test('what a type inherits from its base types is its own, in whichever schema they stand', () => {
  const shape = propertyShape(`<edmx:Edmx><edmx:DataServices>
    <Schema Namespace="org.reso.metadata" Alias="reso">
      <EntityType Name="Base" Abstract="true"><Property Name="ModificationTimestamp" Type="Edm.DateTimeOffset"/></EntityType>
      <EntityType Name="Property" BaseType="reso.Base"><Key><PropertyRef Name="ListingKey"/></Key>
        <Property Name="ListingKey" Type="Edm.String"/><Property Name="ListPrice" Type="Edm.Decimal"/>
        <NavigationProperty Name="Media" Type="Collection(reso.Media)"/></EntityType></Schema>
    <Schema Namespace="vendor"><EntityType Name="Property" BaseType="org.reso.metadata.Property"/>
      <EntityContainer Name="c"><EntitySet Name="Property" EntityType="vendor.Property"/></EntityContainer></Schema>
    </edmx:DataServices></edmx:Edmx>`);
  assert.deepEqual([...(shape?.fields ?? [])].sort(), ['ListPrice', 'ListingKey', 'ModificationTimestamp']);
  assert.deepEqual([...(shape?.expandable ?? [])], ['Media']);
  assert.equal(shape?.keyField, 'ListingKey');
});

test('base types in a circle are read once each', () => {
  const shape = propertyShape(
    edmx(`<EntityType Name="Property" BaseType="x.y.Other"><Property Name="ListingKey" Type="Edm.String"/></EntityType>
      <EntityType Name="Other" BaseType="x.y.Property"><Property Name="City" Type="Edm.String"/></EntityType>`),
  );
  assert.deepEqual([...(shape?.fields ?? [])].sort(), ['City', 'ListingKey']);
});

test('a server with a numeric key alone is known by it', () => {
  const shape = propertyShape(
    edmx(`<EntityType Name="Property"><Property Name="ListingKeyNumeric" Type="Edm.Int64"/></EntityType>`),
  );
  assert.deepEqual([shape?.keyField, shape?.numericKey], ['ListingKeyNumeric', true]);
});

test('what is no description of Property is none', () => {
  for (const text of ['', '<html>', '{"a":1}', edmx('<EntityType Name="Property"/>')]) {
    assert.equal(propertyShape(text), null);
  }
});

test('a long text of opening brackets is read in no time', () => {
  assert.equal(propertyShape('<'.repeat(2_000_000)), null);
  assert.equal(propertyShape('<a '.repeat(700_000)), null);
});
