// SQL of credits: the line and the age of listings of which no record is read.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { StoredRecord } from '../stored-record.ts';
import { listingAttribution } from './attribution.ts';
import { fetchedAtSql } from './confirmation-store.ts';

/** What the credits of a listing are made of. */
export interface CreditParts extends Pick<StoredRecord, 'provider' | 'office' | 'agent'> {
  readonly fetchedAt: string;
  /** Of its source, as it is set up. */
  readonly name: string | null;
  /** Of the terms of its source. */
  readonly attribution: string | null;
  readonly disclaimer: string | null;
  readonly hiddenFields: readonly string[] | null;
}

/** The members that no form of a listing lacks. */
export interface Credits {
  readonly attribution: string;
  readonly fetchedAt: string;
}

/** The parts of the listing with this id, as JSON; null: there is none. */
export const creditPartsSql = (sql: Sql, id: SqlFragment): SqlFragment => sql`(
  select json_build_object('provider', record -> 'provider', 'office', record -> 'office', 'agent', record -> 'agent',
    'fetchedAt', ${fetchedAtSql(sql)}, 'name', (select name from source as known where known.id = listing.source), 'attribution', terms -> 'attribution', 'disclaimer', terms -> 'disclaimer', 'hiddenFields', terms -> 'hiddenFields')
  from listing left join source_terms on source_terms.source = listing.source where listing.id = ${id})`;

export const creditsOf = ({
  fetchedAt,
  name,
  attribution,
  disclaimer,
  hiddenFields: _,
  ...record
}: CreditParts): Credits => ({
  attribution: listingAttribution(record, { name, attribution, disclaimer }),
  fetchedAt: new Date(fetchedAt).toISOString(),
});
