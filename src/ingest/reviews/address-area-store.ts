// SQL of areas that are made from addresses: which names there are, and which areas.

import type { AddressNames } from '../../areas/address-areas.ts';
import type { Sql } from '../../postgres/client/database.ts';

/** Whether somebody imported areas: then none are made from addresses. `made`: the source of those that are. */
export async function hasImportedAreas(sql: Sql, made: string): Promise<boolean> {
  const [row] = await sql`select exists (select from area where source <> ${made}) as found`;
  return row?.found === true;
}

export async function findAreaIdsOfSource(sql: Sql, source: string): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`select id from area where source = ${source}`;
  return new Set(rows.map(({ id }) => id));
}

/** Each combination of names in addresses, as one of its listings writes it; the most frequent first. */
export async function findAddressNames(sql: Sql): Promise<AddressNames[]> {
  return sql<AddressNames[]>`
    with combination as (
      select min(id) as id, count(*) as listings from listing_search
      where displayed and coalesce(city, county, state, postal_code, country) is not null
      group by city, county, state, postal_code, country)
    select address ->> 'city' as city, address ->> 'county' as county, address ->> 'state' as state,
      address ->> 'postalCode' as "postalCode", address ->> 'country' as country
    from (select record -> 'address' as address, listings, id from combination join listing using (id)) as named
    order by listings desc, id`;
}
