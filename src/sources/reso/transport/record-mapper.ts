// Mapper of a server's records: their drafts, and what could not be read of them since the start.

import type { Clock } from '../../../lib/clock.ts';
import type { ListingDraft } from '../../../listings/draft.ts';
import type { RequestedPictures } from '../../../media/pictures/picture-source.ts';
import type { LookupTable } from '../../lookups/source-lookups.ts';
import { REFUSED_PART, ValueCounts } from '../../value-counts.ts';
import type { UpstreamRecord } from '../mapping/decode.ts';
import { mapProperty } from '../mapping/map.ts';
import { dictionaryNames } from '../mapping/overrides.ts';
import { requestedPictures, withMedia } from '../mapping/shown-pictures.ts';
import { countUnreadFields, unknownValues } from '../mapping/unknown.ts';
import { NO_VOCABULARY, type Vocabulary, vocabularyOf } from '../mapping/vocabulary.ts';
import { mediaModeOf } from '../profiles/profile.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import type { EnumerationTexts } from './enumeration-texts.ts';
import { rawRecords, stableRecord } from './kept-record.ts';
import { textLookups } from './lookup-reader.ts';
import { wantedFields } from './query.ts';
import { childResources } from './resources/offered.ts';
import type { Session } from './session.ts';
import { latestModification } from './watermarks.ts';

/** What operators say of a source. */
export interface MappingSettings {
  readonly currency: string;
  readonly timeZone: string | null;
  readonly showsByDefault: boolean;
}

export class RecordMapper {
  /** Unreadable fields, by name. */
  readonly fieldErrors = new Map<string, number>();
  /** Values that kept listings, or a part of them, from being shown. */
  readonly withheldValues = new ValueCounts();
  /** Values of enumerations that the dictionary lacks. */
  readonly unknownValues = new ValueCounts();
  /** Records with values in fields that are not read, by name of the field. */
  readonly unreadFields = new Map<string, number>();
  readonly #profile: Profile;
  readonly #session: Pick<Session, 'refusedParts' | 'knownRules'>;
  readonly #clock: Clock;
  readonly #settings: MappingSettings;
  /** Null: nothing is kept of what the source says of its values. */
  #table: LookupTable | null = null;
  #vocabulary: Vocabulary = NO_VOCABULARY;
  /** The texts of $metadata that the vocabulary is made of; null: it is not made of them. */
  #texts: EnumerationTexts | null = null;
  #named: (record: UpstreamRecord) => UpstreamRecord;
  readonly #readFields: ReadonlySet<string>;

  constructor(
    profile: Profile,
    session: Pick<Session, 'refusedParts' | 'knownRules'>,
    clock: Clock,
    settings: MappingSettings,
  ) {
    this.#profile = profile;
    this.#session = session;
    this.#clock = clock;
    this.#settings = settings;
    this.#named = dictionaryNames(profile.fields, profile.enumerations);
    this.#readFields = new Set(wantedFields(profile));
  }

  /** Names what the source says of its values; empty: nothing that the dictionary does not say. */
  get vocabulary(): string {
    return this.#table === null ? '' : this.#vocabulary.digest;
  }

  /** The version of the lookups in use; null: there are none. */
  get lookupVersion(): number | null {
    return this.#table?.version ?? null;
  }

  /** Maps by these lookups from now on. */
  use(table: LookupTable): void {
    if (table.version === this.#table?.version) return;
    this.#table = table;
    this.#texts = null;
    this.#speak(vocabularyOf(table.lookups, table.names, this.#profile.fields));
  }

  #speak(vocabulary: Vocabulary): void {
    const { fields, enumerations } = this.#profile;
    this.#vocabulary = vocabulary;
    this.#named = dictionaryNames(fields, enumerations, vocabulary.fields);
  }

  /** Before lookups are kept, the texts of $metadata are those that the session has. */
  #learnTexts(): void {
    const { texts } = this.#session.knownRules();
    if (this.#table !== null || texts === undefined || texts === this.#texts) return;
    this.#texts = texts;
    const lookups = textLookups(texts).map((each) => ({ ...each, former: [], isGone: false }));
    this.#speak(vocabularyOf(lookups, {}, this.#profile.fields));
  }

  /** The draft of a record as the server sent it, with what is kept of that; null: it has no key. */
  map(upstream: UpstreamRecord): ListingDraft | null {
    const { raw, volatile } = this.#profile;
    const record = stableRecord(upstream, volatile);
    const draft = this.mapKept(record);
    if (draft === null || raw === 'none') return draft;
    return { ...draft, raw: rawRecords(record, childResources(this.#session.knownRules())) };
  }

  /** The draft of a record as it is kept; null: it has no key. */
  mapKept(kept: UpstreamRecord): ListingDraft | null {
    const { deletes, watermark, licence } = this.#profile;
    this.#learnTexts();
    const record = this.#named(kept);
    const refused = this.#session.refusedParts();
    const values: [field: string, value: unknown][] = refused.map((part) => [REFUSED_PART, part]);
    const draft = mapProperty(record, {
      ...this.#settings,
      viewFlag: deletes.flag,
      marks: licence.marks,
      modifiedField: watermark.field,
      latest: latestModification(this.#clock.now()),
      note: (field) => void this.fieldErrors.set(field, (this.fieldErrors.get(field) ?? 0) + 1),
      withheld: (field, value) => void values.push([field, value]),
    });
    if (draft === null) return null;
    this.withheldValues.set(draft.listingKey, values);
    this.unknownValues.set(draft.listingKey, unknownValues(record));
    countUnreadFields(record, this.#readFields, this.unreadFields);
    return withMedia(draft, record, mediaModeOf(this.#profile, 'link'), this.#profile);
  }

  /** The pictures of a record that came with addresses which can be fetched once; null: it has no key. */
  pictures(upstream: UpstreamRecord): RequestedPictures | null {
    const record = this.#named(upstream);
    const draft = mapProperty(record, { ...this.#settings, note: () => {} });
    return draft && requestedPictures(draft, record);
  }
}
