// Messy workbooks and archives as people have them, and the records that they mean.

import { workbookOf } from '../../support/files/workbook-file.ts';
import { zipOf } from '../../support/files/zip-file.ts';
import type { MessyFile } from './messy-files.ts';

const zip = (value: number) => ({ value, code: '00000' });
const day = (value: number) => ({ value, code: 'm/d/yyyy' });
const SALE = { listingType: 'sale', status: 'ACTIVE' };

/** A broker's workbook: a title above the heading, a hidden list of words, codes with leading zeros, formulas and errors. */
const brokers: MessyFile = {
  name: 'Rainier listings.xlsx',
  content: workbookOf({
    prefix: 'x',
    sheets: [
      { name: 'Read me', rows: [['Listings of Rainier Realty'], ['Do not forward']] },
      {
        name: 'Homes',
        rows: [
          ['Rainier Realty, exported on 28 Nov 2026'],
          [],
          [
            'Listing No',
            'Street Address',
            'City',
            'State',
            'Zip',
            'Asking Price',
            'Beds',
            'Sq Ft',
            'Listed',
            'Status',
            'Waterfront',
          ],
          [
            'R-1',
            '2114 Bigelow Ave N',
            'Seattle',
            'WA',
            zip(98_109),
            { formula: 'B1*2', value: 1_250_000 },
            4,
            2_360,
            day(46_340),
            'Active',
            true,
          ],
          [],
          [
            'R-2',
            '1 Main St',
            'Boston',
            'MA',
            zip(2_110),
            { value: 800_000, code: '$#,##0' },
            2,
            { error: '#N/A' },
            day(46_341),
            { inline: 'Active' },
            false,
          ],
        ],
      },
      { name: 'Words', isHidden: true, rows: Array.from({ length: 40 }, (_, at) => ['Word', at]) },
    ],
  }),
  expected: {
    'R-1': {
      ...SALE,
      listPrice: 1_250_000,
      bedrooms: 4,
      livingArea: 2_360,
      waterfront: true,
      'address.postalCode': '98109',
      'address.streetNumber': '2114',
      onMarketDate: '2026-11-14',
    },
    'R-2': {
      ...SALE,
      listPrice: 800_000,
      livingArea: null,
      waterfront: false,
      'address.postalCode': '02110',
      onMarketDate: '2026-11-15',
    },
  },
};

/** Flats to let out of a workbook of an old Mac, in German. */
const mac: MessyFile = {
  name: 'Mietwohnungen.xlsx',
  content: workbookOf({
    is1904: true,
    sheets: [
      {
        name: 'Tabelle1',
        rows: [
          ['Objekt-Nr', 'Straße', 'PLZ', 'Ort', 'Kaltmiete', 'Zimmer', 'Wohnfläche m²', 'Frei ab'],
          ['M-7', 'Lindenstr. 12', '10969', 'Berlin', 950.5, 2, 61, { value: 44_892, code: 'dd.mm.yyyy' }],
          [
            'M-8',
            'Gneisenaustr. 3',
            '10961',
            'Berlin',
            1_400,
            3,
            84.5,
            { value: 44_923, code: 'dd.mm.yyyy' },
          ],
        ],
      },
    ],
  }),
  expected: {
    'M-7': {
      listingType: 'rental',
      listPrice: 950.5,
      'address.postalCode': '10969',
      'rental.availableFrom': '2026-11-28',
    },
    'M-8': { listingType: 'rental', listPrice: 1_400, 'rental.availableFrom': '2026-12-29' },
  },
};

/** What a Mac packs: one file, and what it leaves beside it. */
const archive: MessyFile = {
  name: 'export 2026-11.zip',
  content: zipOf([
    { name: 'export/', content: '' },
    {
      name: 'export/homes.csv',
      content: Buffer.from(
        'MLS;Price;Latitude;Longitude;Type\nA1;450000;47.61;-122.33;Café flat\nA2;$620,000;47.62;-122.34;House\n',
        'latin1',
      ),
    },
    { name: '__MACOSX/export/._homes.csv', content: 'x' },
    { name: 'export/read me.txt', content: 'Homes of November' },
  ]),
  expected: {
    A1: { ...SALE, listPrice: 450_000, 'location.lat': 47.61 },
    A2: { ...SALE, listPrice: 620_000, propertyType: 'SINGLE_FAMILY' },
  },
};

export const PACKED_MESSY_FILES: readonly MessyFile[] = [brokers, mac, archive];
