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
    numericKey: true,
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

test('what is no description of Property is none', () => {
  for (const text of ['', '<html>', '{"a":1}', edmx('<EntityType Name="Property"/>')]) {
    assert.equal(propertyShape(text), null);
  }
});

test('a long text of opening brackets is read in no time', () => {
  assert.equal(propertyShape('<'.repeat(2_000_000)), null);
  assert.equal(propertyShape('<a '.repeat(700_000)), null);
});
