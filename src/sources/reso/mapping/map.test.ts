// Proves what the kind, the money, the sizes and the terms of a RESO record become, in both spellings.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapped, mappedRental, unreadable } from '../../../../test/support/sources/mapping.ts';

const STATUS_TABLE = [
  ['Active', 'Active', 'ACTIVE'],
  ['Active Under Contract', 'ActiveUnderContract', 'ACTIVE_UNDER_CONTRACT'],
  ['Coming Soon', 'ComingSoon', 'COMING_SOON'],
  ['Pending', 'Pending', 'PENDING'],
  ['Hold', 'Hold', 'HOLD'],
  ['Withdrawn', 'Withdrawn', 'WITHDRAWN'],
  ['Canceled', 'Canceled', 'CANCELED'],
  ['Expired', 'Expired', 'EXPIRED'],
  ['Closed', 'Closed', 'CLOSED'],
  ['Delete', 'Delete', 'DELETED'],
  ['Incomplete', 'Incomplete', 'INCOMPLETE'],
] as const;

test('every standard status is read in both spellings', () => {
  for (const [display, legacy, ours] of STATUS_TABLE) {
    assert.equal(mapped({ StandardStatus: display }).status, ours);
    assert.equal(mapped({ StandardStatus: legacy }).status, ours);
  }
});

test('a status that the dictionary does not have is unknown, with the raw word kept and counted', () => {
  const draft = mapped({ StandardStatus: 'Sold Conditionally' });
  assert.equal(draft.status, 'UNKNOWN');
  assert.equal(draft.statusRaw, 'Sold Conditionally');
  assert.deepEqual(unreadable({ StandardStatus: 'Sold Conditionally' }), ['StandardStatus']);
  assert.equal(mapped({ StandardStatus: 'Active', MlsStatus: 'Act-Kickout' }).statusRaw, 'Act-Kickout');
});

test('leases are rentals and all else is for sale', () => {
  const types = {
    'Residential Lease': 'rental',
    ResidentialLease: 'rental',
    'Commercial Lease': 'rental',
    CommercialLease: 'rental',
    'Residential Income': 'sale',
    ResidentialIncome: 'sale',
    Residential: 'sale',
    Land: 'sale',
  };
  for (const [type, listingType] of Object.entries(types)) {
    assert.equal(mapped({ PropertyType: type }).listingType, listingType, type);
  }
});

const PROPERTY_TYPE_TABLE = [
  ['Residential', 'Condominium', 'Condominium', 'CONDO'],
  ['Residential', 'Stock Cooperative', 'StockCooperative', 'COOP'],
  ['Residential Lease', 'Apartment', 'Apartment', 'APARTMENT'],
  ['Residential', 'Single Family Residence', 'SingleFamilyResidence', 'SINGLE_FAMILY'],
  ['Residential', 'Townhouse', 'Townhouse', 'TOWNHOUSE'],
  ['ResidentialIncome', 'Duplex', 'Duplex', 'MULTI_FAMILY'],
  ['Residential', 'Multi Family', 'MultiFamily', 'MULTI_FAMILY'],
  ['ManufacturedInPark', 'Manufactured Home', 'ManufacturedHome', 'MANUFACTURED'],
  ['Land', 'Unimproved Land', 'UnimprovedLand', 'LAND'],
  ['CommercialSale', 'Mixed Use', 'MixedUse', 'COMMERCIAL'],
  ['CommercialLease', 'Office', 'Office', 'COMMERCIAL'],
  ['BusinessOpportunity', 'Business', 'Business', 'COMMERCIAL'],
  ['Residential', 'Boat Slip', 'BoatSlip', 'OTHER'],
] as const;

test('type and sub-type together make our property type, in both spellings', () => {
  for (const [type, display, legacy, ours] of PROPERTY_TYPE_TABLE) {
    for (const subType of [display, legacy]) {
      const draft = mapped({ PropertyType: type, PropertySubType: subType });
      assert.equal(draft.propertyType, ours, `${type} ${subType}`);
      assert.equal(draft.propertySubType, display);
    }
  }
  assert.equal(mapped({ PropertyType: 'Farm' }).propertyType, 'LAND');
  assert.equal(mapped({ PropertyType: 'Residential' }).propertyType, 'OTHER');
});

test('a half bath is half a bathroom, whatever the total says', () => {
  assert.equal(mapped({ BathroomsFull: 2, BathroomsHalf: 1, BathroomsTotalInteger: 3 }).bathrooms, 2.5);
  assert.equal(
    mapped({ BathroomsFull: 1, BathroomsThreeQuarter: 1, BathroomsOneQuarter: 2 }).bathrooms,
    2.25,
  );
  assert.equal(mapped({ BathroomsTotalInteger: 3 }).bathrooms, 3);
  assert.equal(mapped({ BathroomsHalf: 1, BathroomsTotalInteger: 3 }).bathrooms, 3);
  assert.equal(mapped({ BathroomsTotalDecimal: 2.5, BathroomsTotalInteger: 3 }).bathrooms, 2.5);
  assert.equal(mapped({}).bathrooms, null);
});

test('rent is the list price, per what the frequency says, and monthly where nothing is said', () => {
  const draft = mappedRental({ ListPrice: 2_400, LeaseAmount: 99 });
  assert.deepEqual([draft.listPrice, draft.priceFrequency], [2_400, 'MONTHLY']);
  const frequencies = {
    Weekly: 'WEEKLY',
    Daily: 'DAILY',
    Annually: 'ANNUALLY',
    Quarterly: 'QUARTERLY',
    'One Time': 'ONE_TIME',
    OneTime: 'ONE_TIME',
  };
  for (const [stated, ours] of Object.entries(frequencies)) {
    const priced = mappedRental({ ListPrice: 500, LeaseAmountFrequency: stated });
    assert.deepEqual([priced.listPrice, priced.priceFrequency], [500, ours]);
  }
  for (const stated of ['Bi-Weekly', 'BiWeekly']) {
    const priced = mappedRental({ ListPrice: 1_200, ClosePrice: 1_100, LeaseAmountFrequency: stated });
    assert.deepEqual(
      [priced.listPrice, priced.closePrice, priced.priceFrequency],
      [2_600, 2_383.33, 'MONTHLY'],
    );
  }
  assert.equal(
    mapped({ PropertyType: 'Residential', LeaseAmountFrequency: 'Weekly' }).priceFrequency,
    'ONE_TIME',
  );
});

test('a price of nothing is no price, and a closed listing keeps its two prices apart', () => {
  assert.equal(mapped({ ListPrice: 0 }).listPrice, null);
  assert.equal(mapped({ ListPrice: -5 }).listPrice, null);
  const closed = mapped({ StandardStatus: 'Closed', ClosePrice: 90 });
  assert.deepEqual([closed.listPrice, closed.closePrice], [null, 90]);
});

test('fees and taxes come per month', () => {
  const fees = {
    Monthly: 120,
    Annually: 10,
    'Semi-Annually': 20,
    SemiAnnually: 20,
    Quarterly: 40,
    'Bi-Monthly': 60,
    BiMonthly: 60,
    'Semi-Monthly': 240,
    Weekly: 520,
  };
  for (const [frequency, perMonth] of Object.entries(fees)) {
    assert.equal(
      mapped({ AssociationFee: 120, AssociationFeeFrequency: frequency }).associationFee,
      perMonth,
      frequency,
    );
  }
  const two = {
    AssociationFee: 100,
    AssociationFeeFrequency: 'Monthly',
    AssociationFee2: 120,
    AssociationFee2Frequency: 'Annually',
  };
  assert.equal(mapped(two).associationFee, 110);
  assert.equal(mapped({ AssociationFee: 100 }).associationFee, null);
  assert.equal(mapped({ AssociationFee: 100, AssociationFeeFrequency: 'One Time' }).associationFee, null);
  const taxed = mapped({ TaxAnnualAmount: '4,065.00', TaxYear: 2024, TaxAssessedValue: 216_513 });
  assert.equal(taxed.tax, 338.75);
  assert.deepEqual(taxed.taxes, [{ year: 2024, amount: 4_065, assessedValue: 216_513 }]);
});

test('areas come in square feet from any of their units', () => {
  assert.equal(mapped({ LivingArea: 100, LivingAreaUnits: 'Square Meters' }).livingArea, 1_076.39);
  assert.equal(mapped({ LivingArea: 100, LivingAreaUnits: 'SquareMeters' }).livingArea, 1_076.39);
  assert.equal(mapped({ LivingArea: 100, LivingAreaUnits: 'SquareFeet' }).livingArea, 100);
  assert.equal(mapped({ LivingArea: 100 }).livingArea, 100);
  assert.equal(mapped({ LivingArea: 100, LivingAreaUnits: 'sqm' }).livingArea, 1_076.39);
  assert.equal(mapped({ LivingArea: 100, LivingAreaUnits: 'SQFT' }).livingArea, 100);
  assert.equal(mapped({ LivingArea: 100, LivingAreaUnits: 'Tatami' }).livingArea, null);
  assert.equal(mapped({ LotSizeArea: 0.5, LotSizeUnits: 'Acres' }).lotSize, 21_780);
  assert.equal(mapped({ LotSizeArea: 0.5, LotSizeUnits: 'Acre' }).lotSize, 21_780);
  assert.equal(mapped({ LotSizeArea: 2, LotSizeUnits: 'Hectares' }).lotSize, 215_278.21);
  assert.equal(mapped({ LotSizeArea: 10, LotSizeUnits: 'SquareMeters' }).lotSize, 107.64);
  assert.equal(mapped({ LotSizeAcres: 1 }).lotSize, 43_560);
  assert.equal(mapped({ LotSizeSquareFeet: 5_000, LotSizeAcres: 1 }).lotSize, 5_000);
});

test('rental terms are read in both spellings', () => {
  for (const [display, legacy, months] of [
    ['12 Months', 'TwelveMonths', 12],
    ['6 Months', 'SixMonths', 6],
    ['24 Months', 'TwentyFourMonths', 24],
    ['Month To Month', 'MonthToMonth', 1],
    ['Short Term Lease', 'ShortTermLease', null],
  ] as const) {
    for (const term of [display, legacy]) {
      const { rental: terms } = mappedRental({ LeaseTerm: term });
      assert.deepEqual([terms?.leaseTerm, terms?.leaseTermMonths], [[display], months]);
    }
  }
  for (const pets of [
    ['Cats OK', 'Dogs OK', 'Size Limit'],
    ['CatsOk', 'DogsOk', 'SizeLimit'],
    'Cats OK,Dogs OK,Size Limit',
  ]) {
    const { rental: terms } = mappedRental({ PetsAllowed: pets });
    assert.deepEqual([terms?.pets, terms?.petsAllowed], [['cats', 'dogs', 'size_limit'], true]);
  }
  assert.equal(mappedRental({ PetsAllowed: ['No'] }).rental?.petsAllowed, false);
  assert.equal(mappedRental({ PetsAllowed: ['Call'] }).rental?.petsAllowed, null);
  assert.equal(mappedRental({ PetsAllowed: 'Yes' }).rental?.petsAllowed, true);
  assert.deepEqual(
    mappedRental({ RentIncludes: ['TrashCollection', 'Water', 'None'] }).rental?.utilitiesIncluded,
    ['trash_collection', 'water'],
  );
  assert.equal(mappedRental({ Furnished: ['Partially'] }).rental?.furnished, 'Partially');
  assert.equal(
    mappedRental({ AvailabilityDate: '2026-02-01T00:00:00Z' }).rental?.availableFrom,
    '2026-02-01',
  );
  assert.deepEqual(mappedRental({ MoveInCosts: 'SecurityDeposit' }).rental?.moveInCosts, [
    { type: 'Security Deposit', amount: null },
  ]);
  assert.equal(mapped({ PropertyType: 'Residential' }).rental, null);
});
