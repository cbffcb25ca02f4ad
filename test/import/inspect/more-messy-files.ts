// The second part of the messy files: coordinates, dates, keys, lists and words.

import type { MessyFile } from './messy-files.ts';

const sqm = (value: number): number => Math.round(value * 10.763910416709722 * 100) / 100;

const SALE = { listingType: 'sale', status: 'ACTIVE' };
const RENT = { listingType: 'rental', status: 'ACTIVE' };

const inThousands: MessyFile = {
  name: 'portfolio.csv',
  content: `Unit ID;Use;Price (in thousands EUR);Area sqm;Built;City;Country;Lat;Lng
U-1;Office;1250.5;410;1988;Wien;Austria;48.2082;16.3738
U-2;Apartment;412;88;2001;Wien;Austria;48.2100;16.3600
U-3;Apartment;398.9;76;2003;Graz;Austria;47.0707;15.4395
`,
  expected: {
    'U-1': {
      ...SALE,
      propertyType: 'COMMERCIAL',
      listPrice: 1_250_500,
      currency: 'EUR',
      livingArea: sqm(410),
      yearBuilt: 1_988,
      'address.city': 'Wien',
      'address.country': 'AT',
    },
    'U-2': { propertyType: 'APARTMENT', listPrice: 412_000 },
    'U-3': { listPrice: 398_900, 'address.city': 'Graz' },
  },
};

const swapped: MessyFile = {
  name: 'wohnungen-miete.csv',
  content: `Objekt-ID,Objektart,Kaltmiete,Wohnfläche qm,Zimmer,PLZ,Ort,lat,lon,Haustiere,Verfügbar ab
B1,Wohnung,"1.250,00",82,3,10115,Berlin,13.3850,52.5320,ja,01.04.2026
B2,Wohnung,"890,50",54,2,10999,Berlin,13.4280,52.4990,nein,15.05.2026
B3,Dachgeschosswohnung,"2.100,00",120,4,10629,Berlin,13.3120,52.5020,nach Absprache,01.06.2026
`,
  expected: {
    B1: {
      ...RENT,
      propertyType: 'APARTMENT',
      listPrice: 1_250,
      currency: 'EUR',
      livingArea: sqm(82),
      'location.lat': 52.532,
      'location.lng': 13.385,
      'rental.petsAllowed': true,
      'rental.availableFrom': '2026-04-01',
    },
    B2: { listPrice: 890.5, 'rental.petsAllowed': false, 'rental.availableFrom': '2026-05-15' },
    B3: { listPrice: 2_100, 'rental.petsAllowed': null },
  },
};

const mercator: MessyFile = {
  name: 'gis-export.csv',
  content: `FID,ADDR,CITY,LIST_PRICE,BEDS,SQFT,X,Y
1,500 Union St,Seattle,650000,2,1100,-13618025.00,6041572.31
2,610 Union St,Seattle,725000,3,1400,-13617900.00,6041600.00
`,
  expected: {
    1: {
      ...SALE,
      listPrice: 650_000,
      bedrooms: 2,
      livingArea: 1_100,
      'location.lat': 47.6061,
      'location.lng': -122.3328,
      'address.city': 'Seattle',
      'address.streetNumber': '500',
    },
    2: { listPrice: 725_000 },
  },
};

const utm: MessyFile = {
  name: 'liegenschaften.csv',
  content: `Kennung;Preis;Fläche m²;Ort;utm_x_32632;utm_y_32632
K-1;325000;110;Frankfurt;500000;5538630.70
K-2;410000;130;Frankfurt;500500;5538700.00
`,
  expected: {
    'K-1': {
      ...SALE,
      listPrice: 325_000,
      currency: 'EUR',
      livingArea: sqm(110),
      'location.lat': 50,
      'location.lng': 9,
      'address.country': 'DE',
    },
    'K-2': { listPrice: 410_000 },
  },
};

const oneAddress: MessyFile = {
  name: 'for-sale-by-owner.csv',
  content: `Listing Ref,Address,Price,Bedrooms,Sq Ft,Notes
F1,"12 Oak Street, Apt 4, Springfield, IL 62704","$189,000",2,"1,150",Sunny and quiet
F2,"77 Cedar Lane, Chatham, IL 62629","$312,500",4,"2,300",Large yard
F3,"3 Maple Avenue, Chatham, IL 62629",TBD,3,n/a,
`,
  expected: {
    F1: {
      ...SALE,
      listPrice: 189_000,
      currency: 'USD',
      bedrooms: 2,
      livingArea: 1_150,
      'address.full': '12 Oak Street, Apt 4, Springfield, IL 62704',
      'address.unit': '4',
      'address.streetNumber': '12',
      'address.streetName': 'Oak Street',
      'address.city': 'Springfield',
      'address.state': 'IL',
      'address.postalCode': '62704',
      'address.country': 'US',
      location: null,
      description: 'Sunny and quiet',
    },
    F2: { 'address.city': 'Chatham', 'address.unit': null, listPrice: 312_500 },
    F3: { listPrice: null, livingArea: null, bedrooms: 3 },
  },
};

const oneCoordinate: MessyFile = {
  name: 'points.csv',
  content: `id,type,price,surface,geom
P1,Maison,245000,95,POINT (2.3522 48.8566)
P2,Appartement,180000,42,POINT (2.2945 48.8584)
P3,Terrain,60000,500,POINT (2.4000 48.9000)
`,
  expected: {
    P1: {
      ...SALE,
      propertyType: 'SINGLE_FAMILY',
      listPrice: 245_000,
      currency: 'EUR',
      livingArea: sqm(95),
      'location.lat': 48.8566,
      'location.lng': 2.3522,
      'address.country': 'FR',
    },
    P2: { propertyType: 'APARTMENT', 'location.lng': 2.2945 },
    P3: { propertyType: 'LAND' },
  },
};

const photos: MessyFile = {
  name: 'photos.csv',
  content: `sku,category,amount,photo_1,photo_2,photo_3,tour,features
A,house,500000,https://x.example/a1.jpg,https://x.example/a2.jpg,,https://tour.example/a,Pool; Garage; Central AC
B,flat,300000,https://x.example/b1.jpg,,,,Gym
`,
  expected: {
    A: {
      ...SALE,
      propertyType: 'SINGLE_FAMILY',
      listPrice: 500_000,
      'photos.1.url': 'https://x.example/a2.jpg',
      virtualTourUrl: 'https://tour.example/a',
      features: ['central_ac', 'garage', 'pool'],
    },
    B: { propertyType: 'APARTMENT', 'photos.length': 1, features: ['gym'] },
  },
};

const YES_AND_NO = [
  'yes',
  'no',
  'sí',
  'no',
  'ja',
  'nein',
  'oui',
  'non',
  'sim',
  'não',
  'ja',
  'nee',
  'sì',
  'no',
];

const booleans: MessyFile = {
  name: 'six-languages.csv',
  content: `id,status,property type,price,new build,waterfront\n${YES_AND_NO.map((word, at) => `L${at},Active,House,${400_000 + at},${word},${at % 2 === 0 ? 1 : 0}`).join('\n')}\n`,
  expected: Object.fromEntries(
    YES_AND_NO.map((_, at) => [
      `L${at}`,
      { ...SALE, listPrice: 400_000 + at, newConstruction: at % 2 === 0, waterfront: at % 2 === 0 },
    ]),
  ),
};

const dates: MessyFile = {
  name: 'ambiguous.csv',
  content: `MLS #,Status,Type,List Price,List Date,Sold Date,Updated,Zip,Lat,Long
9001,Active,Condo,200000,03/04/2026,,1772600000,98101,47.61,-122.33
9002,Sold,Condo,210000,01/02/2026,05/06/2026,1772700000,98102,47.62,-122.32
9003,Active,Condo,220000,2026-02-11,,1772800000,98103,47.63,-122.34
`,
  expected: {
    9001: {
      ...SALE,
      onMarketDate: '2026-03-04',
      closedAt: null,
      upstreamModifiedAt: '2026-03-04T04:53:20.000Z',
      'address.state': 'WA',
    },
    9002: { status: 'CLOSED', onMarketDate: '2026-01-02', closedAt: '2026-05-06' },
    9003: { onMarketDate: '2026-02-11' },
  },
};

const noKey: MessyFile = {
  name: 'sold-homes.csv',
  content: `house number;street;city;zip;sale date;sale price;type;sq ft
12;Oak Street;Springfield;62704;2024-03-01;180000;house;1500
12;Oak Street;Springfield;62704;2026-05-01;215000;house;1500
14;Oak Street;Springfield;62704;2025-07-09;199000;house;1450
`,
  expected: {
    '12-Oak Street-62704-Springfield-2024-03-01': {
      listingType: 'sale',
      status: 'CLOSED',
      closePrice: 180_000,
      closedAt: '2024-03-01',
    },
    '12-Oak Street-62704-Springfield-2026-05-01': {
      closePrice: 215_000,
      propertyType: 'SINGLE_FAMILY',
      livingArea: 1_500,
    },
    '14-Oak Street-62704-Springfield-2025-07-09': { closePrice: 199_000, 'address.state': 'IL' },
  },
};

const geojson: MessyFile = {
  name: 'homes.geojson',
  content: JSON.stringify({
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        id: 'g1',
        properties: { price: 410000, beds: 3, kind: 'house', offer: 'for sale' },
        geometry: { type: 'Point', coordinates: [-0.1276, 51.5072] },
      },
      {
        type: 'Feature',
        id: 'g2',
        properties: { price: 2400, beds: 2, kind: 'flat', offer: 'to let' },
        geometry: { type: 'Point', coordinates: [-0.0877, 51.5079] },
      },
    ],
  }),
  expected: {
    g1: {
      ...SALE,
      propertyType: 'SINGLE_FAMILY',
      listPrice: 410_000,
      currency: 'GBP',
      bedrooms: 3,
      'location.lat': 51.5072,
      'location.lng': -0.1276,
      'address.country': 'GB',
    },
    g2: { ...RENT, propertyType: 'APARTMENT', listPrice: 2_400 },
  },
};

const nested: MessyFile = {
  name: 'feed.json',
  content: JSON.stringify([
    {
      listingId: 'n-1',
      transaction: 'rent',
      property: {
        type: 'Apartment',
        bedrooms: 2,
        floorArea: '58 m2',
        location: { latitude: 41.3874, longitude: 2.1686 },
      },
      price: { amount: 1350, currency: 'EUR' },
      address: { street: 'Carrer de Mallorca 401', city: 'Barcelona', postalCode: '08013' },
    },
    {
      listingId: 'n-2',
      transaction: 'sale',
      property: {
        type: 'Penthouse',
        bedrooms: 4,
        floorArea: '160 m2',
        location: { latitude: 41.3917, longitude: 2.1649 },
      },
      price: { amount: 890000, currency: 'EUR' },
      address: { street: 'Passeig de Gràcia 92', city: 'Barcelona', postalCode: '08008' },
    },
  ]),
  expected: {
    'n-1': {
      ...RENT,
      propertyType: 'APARTMENT',
      listPrice: 1_350,
      currency: 'EUR',
      bedrooms: 2,
      livingArea: sqm(58),
      'address.city': 'Barcelona',
      'address.postalCode': '08013',
      'location.lat': 41.3874,
    },
    'n-2': { ...SALE, propertyType: 'APARTMENT', listPrice: 890_000, 'address.streetNumber': '92' },
  },
};

const nulls: MessyFile = {
  name: 'brokers.csv',
  content: `Listing Key;Standard Status;Property Type;List Price;Bedrooms Total;Bathrooms Total;Living Area;Year Built;Postal Code;Latitude;Longitude
1;Active;Residential;$1,100,000;4;N/A;2,400;1990;98101;47.61;-122.33
2;Cancelled;Mobile Home;call for price;-;1;N/A;N/A;98102;0;0
3;Expired;Multi-Family;$2,050,000;8;6;4,100;unknown;98103;47.63;-122.34
4;Comming Soon;Land;$300,000;-;N/A;N/A;N/A;98103;47.63;-122.35
`,
  expected: {
    1: {
      ...SALE,
      propertyType: 'SINGLE_FAMILY',
      listPrice: 1_100_000,
      bedrooms: 4,
      bathrooms: null,
      livingArea: 2_400,
      yearBuilt: 1_990,
    },
    2: {
      status: 'CANCELED',
      propertyType: 'MANUFACTURED',
      listPrice: null,
      bedrooms: null,
      bathrooms: 1,
      location: null,
    },
    3: { status: 'EXPIRED', propertyType: 'MULTI_FAMILY', yearBuilt: null, listPrice: 2_050_000 },
    4: { status: 'COMING_SOON', propertyType: 'LAND', listPrice: 300_000 },
  },
};

const lettings: MessyFile = {
  name: 'lettings.csv',
  content: `ref,property,rent,bedrooms,postcode,furnishing,available from,images
L-1,Flat,£1250 pcm,2,SE1 9GF,Furnished,1 May 2026,https://i.example/1.jpg;https://i.example/2.jpg
L-2,House,£1800 pcm,3,SW9 8DJ,Unfurnished,15 June 2026,https://i.example/3.jpg
`,
  expected: {
    'L-1': {
      ...RENT,
      propertyType: 'APARTMENT',
      listPrice: 1_250,
      currency: 'GBP',
      bedrooms: 2,
      'address.postalCode': 'SE1 9GF',
      'rental.furnished': 'Furnished',
      'rental.availableFrom': '2026-05-01',
      'photos.length': 2,
    },
    'L-2': { propertyType: 'SINGLE_FAMILY', listPrice: 1_800, 'rental.availableFrom': '2026-06-15' },
  },
};

export const MORE_MESSY_FILES: readonly MessyFile[] = [
  inThousands,
  swapped,
  mercator,
  utm,
  oneAddress,
  oneCoordinate,
  photos,
  booleans,
  dates,
  noKey,
  geojson,
  nested,
  nulls,
  lettings,
];
