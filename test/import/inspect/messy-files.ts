// Twenty-two files as people have them, and the records that they mean; each is imported by what an inspection proposes.

export interface MessyFile {
  readonly name: string;
  readonly content: string | Buffer;
  /** By key: values of the draft by their paths. */
  readonly expected: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Square feet of square metres, as drafts have them. */
const sqm = (value: number): number => Math.round(value * 10.763910416709722 * 100) / 100;

const SALE = { listingType: 'sale', status: 'ACTIVE' };
const RENT = { listingType: 'rental', status: 'ACTIVE' };

const zillow: MessyFile = {
  name: 'zillow-export.csv',
  content: `zpid,homeStatus,homeType,streetAddress,city,state,zipcode,unformattedPrice,bedrooms,bathrooms,livingArea,yearBuilt,latitude,longitude,daysOnZillow,imgSrc,detailUrl
48749425,FOR_SALE,SINGLE_FAMILY,2114 Bigelow Ave N,Seattle,WA,98109,1250000,4,2.5,2360,1912,47.637933,-122.347938,12,https://photos.example.com/a/1.jpg,https://www.example.com/homedetails/48749425
48749426,RECENTLY_SOLD,CONDO,530 Broadway E APT 301,Seattle,WA,98102,480000,1,1,702,2004,47.623700,-122.320600,40,https://photos.example.com/b/1.jpg,https://www.example.com/homedetails/48749426
48749427,PENDING,TOWNHOUSE,1 Pike St,Seattle,WA,98101,760000,2,2,1100,1999,47.608900,-122.340100,3,,https://www.example.com/homedetails/48749427
`,
  expected: {
    48749425: {
      ...SALE,
      propertyType: 'SINGLE_FAMILY',
      listPrice: 1_250_000,
      currency: 'USD',
      bedrooms: 4,
      bathrooms: 2.5,
      livingArea: 2_360,
      yearBuilt: 1_912,
      'address.streetNumber': '2114',
      'address.streetName': 'Bigelow Ave N',
      'address.city': 'Seattle',
      'address.state': 'WA',
      'address.postalCode': '98109',
      'address.country': 'US',
      'location.lat': 47.637933,
      'location.lng': -122.347938,
      daysOnMarketReported: 12,
      'photos.0.url': 'https://photos.example.com/a/1.jpg',
      listingUrl: 'https://www.example.com/homedetails/48749425',
    },
    48749426: {
      listingType: 'sale',
      status: 'CLOSED',
      propertyType: 'CONDO',
      'address.unit': '301',
      'address.streetName': 'Broadway E',
    },
    48749427: { listingType: 'sale', status: 'PENDING', propertyType: 'TOWNHOUSE' },
  },
};

const redfin: MessyFile = {
  name: 'redfin_2026-11-28.csv',
  content: `SALE TYPE,SOLD DATE,PROPERTY TYPE,ADDRESS,CITY,STATE OR PROVINCE,ZIP OR POSTAL CODE,PRICE,BEDS,BATHS,LOCATION,SQUARE FEET,LOT SIZE,YEAR BUILT,DAYS ON MARKET,$/SQUARE FEET,HOA/MONTH,STATUS,URL,SOURCE,MLS#,LATITUDE,LONGITUDE
MLS Listing,,Single Family Residential,"12 Oak St",Tacoma,WA,98402,525000,3,2,North End,1800,5000,1950,14,292,,Active,https://www.example.com/1,NWMLS,2001001,47.2529,-122.4443
MLS Listing,,Condo/Co-op,"400 Pine Ave #5",Tacoma,WA,98403,310000,2,1,Stadium,950,,1985,30,326,410,Contingent,https://www.example.com/2,NWMLS,2001002,47.2650,-122.4500
MLS Listing,,Vacant Land,"0 Hill Rd",Tacoma,WA,98404,99000,,,East,,20000,,100,,,Pending,https://www.example.com/3,NWMLS,2001003,47.2100,-122.4000
`,
  expected: {
    2001001: {
      ...SALE,
      propertyType: 'SINGLE_FAMILY',
      listPrice: 525_000,
      bedrooms: 3,
      bathrooms: 2,
      livingArea: 1_800,
      lotSize: 5_000,
      yearBuilt: 1_950,
      daysOnMarketReported: 14,
      'address.city': 'Tacoma',
      'address.streetNumber': '12',
      originatingSystem: 'NWMLS',
    },
    2001002: {
      listingType: 'sale',
      status: 'ACTIVE_UNDER_CONTRACT',
      propertyType: 'CONDO',
      associationFee: 410,
      'address.unit': '5',
    },
    2001003: {
      listingType: 'sale',
      status: 'PENDING',
      propertyType: 'LAND',
      lotSize: 20_000,
      bedrooms: null,
    },
  },
};

const german: MessyFile = {
  name: 'immobilien.csv',
  content: latin1(
    `Objektnummer;Vermarktungsart;Objektart;Kaufpreis;Wohnfläche;Grundstücksfläche;Zimmer;Schlafzimmer;PLZ;Ort;Straße;Hausnummer;Breitengrad;Längengrad;Baujahr;Eingestellt am;Beschreibung
M-1001;Kauf;Einfamilienhaus;450.000,00 ¤;142,5 m²;610 m²;5;3;80331;München;Sendlinger Straße;12;48,1351;11,5820;1974;15.03.2026;Schönes Haus in ruhiger Lage
M-1002;Kauf;Eigentumswohnung;1.250.000,00 ¤;98 m²;;3;2;80333;München;Brienner Straße;4a;48,1440;11,5700;2015;02.04.2026;Helle Wohnung
M-1003;Kauf;Reihenhaus;auf Anfrage;120 m²;210 m²;4;3;81667;München;Orleansstraße;7;48,1290;11,6020;1999;28.02.2026;
`.replaceAll('¤', 'EUR'),
  ),
  expected: {
    'M-1001': {
      ...SALE,
      propertyType: 'SINGLE_FAMILY',
      listPrice: 450_000,
      currency: 'EUR',
      livingArea: sqm(142.5),
      lotSize: sqm(610),
      rooms: 5,
      bedrooms: 3,
      yearBuilt: 1_974,
      listedAt: '2026-03-15',
      'address.postalCode': '80331',
      'address.city': 'München',
      'address.streetName': 'Sendlinger Straße',
      'address.streetNumber': '12',
      'address.country': 'DE',
      'location.lat': 48.1351,
      'location.lng': 11.582,
      description: 'Schönes Haus in ruhiger Lage',
    },
    'M-1002': {
      propertyType: 'CONDO',
      listPrice: 1_250_000,
      listedAt: '2026-04-02',
      'address.streetNumber': '4a',
    },
    'M-1003': { propertyType: 'TOWNHOUSE', listPrice: null, lotSize: sqm(210) },
  },
};

const spanish: MessyFile = {
  name: 'pisos.csv',
  content: `referencia;operación;tipo de inmueble;precio;superficie;habitaciones;baños;dirección;código postal;municipio;provincia;latitud;longitud;fecha publicación
ES-1;Venta;Piso;250.000 €;90 m²;3;2;Calle Mayor 5;28013;Madrid;Madrid;40,4155;-3,7074;14/03/2026
ES-2;Alquiler;Ático;1.200 €/mes;65 m²;1;1;Calle de Alcalá 42;28014;Madrid;Madrid;40,4190;-3,6990;02/04/2026
ES-3;Venta;Chalet;1.150.000 €;320 m²;5;4;Avenida de América 9;28002;Madrid;Madrid;40,4380;-3,6760;30/01/2026
`,
  expected: {
    'ES-1': {
      ...SALE,
      propertyType: 'APARTMENT',
      listPrice: 250_000,
      currency: 'EUR',
      livingArea: sqm(90),
      bedrooms: 3,
      bathrooms: 2,
      'address.streetName': 'Calle Mayor',
      'address.streetNumber': '5',
      'address.city': 'Madrid',
      'address.country': 'ES',
      'location.lat': 40.4155,
      'location.lng': -3.7074,
      listedAt: '2026-03-14',
    },
    'ES-2': {
      ...RENT,
      propertyType: 'APARTMENT',
      listPrice: 1_200,
      priceFrequency: 'MONTHLY',
      listedAt: '2026-04-02',
    },
    'ES-3': { ...SALE, propertyType: 'SINGLE_FAMILY', listPrice: 1_150_000 },
  },
};

const french: MessyFile = {
  name: 'annonces.tsv',
  content: `Référence\tType de bien\tPrix\tSurface\tPièces\tChambres\tCode postal\tVille\tAdresse\tLatitude\tLongitude\tDate de publication\tMeublé
FR-10\tAppartement\t350 000 €\t75 m²\t3\t2\t75002\tParis\t12 rue de la Paix\t48.8691\t2.3316\t15 mars 2026\tnon
FR-11\tMaison\t1 250 000 €\t180 m²\t7\t5\t92200\tNeuilly-sur-Seine\t4 rue du Château\t48.8846\t2.2690\t2 avril 2026\toui
`,
  expected: {
    'FR-10': {
      ...SALE,
      propertyType: 'APARTMENT',
      listPrice: 350_000,
      currency: 'EUR',
      livingArea: sqm(75),
      rooms: 3,
      bedrooms: 2,
      'address.postalCode': '75002',
      'address.city': 'Paris',
      'address.streetNumber': '12',
      'address.country': 'FR',
      listedAt: '2026-03-15',
    },
    'FR-11': { ...SALE, propertyType: 'SINGLE_FAMILY', listPrice: 1_250_000, listedAt: '2026-04-02' },
  },
};

const rightmove: MessyFile = {
  name: 'agents-uk.csv',
  content: `Property ID,Property Type,Listing Status,Guide Price,Bedrooms,Bathrooms,Display Address,Size,Easting,Northing,Added,Agent,Tel
101,Terraced,Available,"£350,000",3,1,"10 High Street, Leeds, LS1 4AP",950 sq ft,430000,433500,03/04/2026,Dale & Co,0113 496 0000
102,Semi-Detached,Under Offer,"£425,000",4,2,"Flat 2, 8 Park Row, Leeds, LS1 5HD","1,200 sq ft",429900,433600,25/04/2026,Dale & Co,0113 496 0000
103,Flat,Sold STC,"£189,950",1,1,"31 Boar Lane, Leeds, LS1 5DA",430 sq ft,430100,433300,11/02/2026,Dale & Co,0113 496 0001
`,
  expected: {
    101: {
      ...SALE,
      propertyType: 'TOWNHOUSE',
      listPrice: 350_000,
      currency: 'GBP',
      bedrooms: 3,
      livingArea: 950,
      'address.streetName': 'High Street',
      'address.city': 'Leeds',
      'address.postalCode': 'LS1 4AP',
      'address.country': 'GB',
      listedAt: '2026-04-03',
      'agent.name': 'Dale & Co',
      'agent.phone': '0113 496 0000',
    },
    102: {
      listingType: 'sale',
      status: 'ACTIVE_UNDER_CONTRACT',
      propertyType: 'TOWNHOUSE',
      livingArea: 1_200,
      'address.unit': '2',
      'address.streetNumber': '8',
      listedAt: '2026-04-25',
    },
    103: {
      listingType: 'sale',
      status: 'ACTIVE_UNDER_CONTRACT',
      propertyType: 'APARTMENT',
      listPrice: 189_950,
    },
  },
};

const craigslist: MessyFile = {
  name: 'apartments-for-rent.ndjson',
  content: `{"id":7712345601,"title":"Bright one bedroom","price":"$2,100","bedrooms":1,"sqft":"650ft2","latitude":37.7749,"longitude":-122.4194,"neighborhood":"Mission","posted":"2026-03-14 10:22","url":"https://sfbay.example.org/apa/1","images":["https://images.example.org/1.jpg","https://images.example.org/2.jpg"],"laundry":"in unit","dogs_ok":true}
{"id":7712345602,"title":"Studio","price":"$1,650","bedrooms":0,"sqft":"400ft2","latitude":37.7840,"longitude":-122.4070,"neighborhood":"Tenderloin","posted":"2026-03-15 08:00","url":"https://sfbay.example.org/apa/2","images":[],"laundry":"on site","dogs_ok":false}
`,
  expected: {
    7712345601: {
      ...RENT,
      propertyType: 'APARTMENT',
      listPrice: 2_100,
      currency: 'USD',
      bedrooms: 1,
      livingArea: 650,
      'location.lat': 37.7749,
      'address.neighborhood': 'Mission',
      'photos.1.url': 'https://images.example.org/2.jpg',
      listedAt: '2026-03-14T17:22:00.000Z',
      'rental.petsAllowed': true,
    },
    7712345602: { ...RENT, bedrooms: 0, listPrice: 1_650, 'rental.petsAllowed': false },
  },
};

const thousands: MessyFile = {
  name: 'inventory.csv',
  content: `Ref No|Type|Status|Asking|Beds / Baths|Town|Zip|Acres|Lat|Lon
R1|House|For sale|$387k|3 bd / 2 ba|Springfield|62704|0.25|39.7817|-89.6501
R2|House|Under contract|$1.2M|5 bd / 3.5 ba|Springfield|62701|1.5 acres|39.7990|-89.6440
R3|Condo|Sold|$92.5k|1 bd / 1 ba|Chatham|62629||39.6762|-89.7045
`,
  expected: {
    R1: {
      ...SALE,
      propertyType: 'SINGLE_FAMILY',
      listPrice: 387_000,
      currency: 'USD',
      bedrooms: 3,
      bathrooms: 2,
      lotSize: 10_890,
      'address.city': 'Springfield',
      'address.state': 'IL',
    },
    R2: {
      status: 'ACTIVE_UNDER_CONTRACT',
      listPrice: 1_200_000,
      bedrooms: 5,
      bathrooms: 3.5,
      lotSize: 65_340,
    },
    R3: { status: 'CLOSED', listPrice: 92_500, propertyType: 'CONDO', lotSize: null },
  },
};

export const MESSY_FILES: readonly MessyFile[] = [
  zillow,
  redfin,
  german,
  spanish,
  french,
  rightmove,
  craigslist,
  thousands,
];
