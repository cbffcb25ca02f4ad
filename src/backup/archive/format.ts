// Format of an archive: its members, and the two documents that describe the data between them.

/** Grows with each change that a former release could not read. */
export const ARCHIVE_FORMAT = 1;

/** The first member. */
export const HEADER_NAME = 'archive.json';
/** The last one. */
export const MANIFEST_NAME = 'manifest.json';
/** The keys that seal stored secrets, in archives made with `--keys`. */
export const KEYS_NAME = 'secrets.key';

/** Bytes of one member: a reader has one in memory. A part is larger than PART_BYTES only where a single row is. */
export const MAX_MEMBER_BYTES = 512 * 1024 * 1024;
/** Bytes after which a part ends with its row. */
export const PART_BYTES = 4 * 1024 * 1024;

/** What is known before the data is read: `archive.json`. */
export interface ArchiveHeader {
  readonly format: number;
  /** Version of Freehold that wrote it. */
  readonly release: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Version of the server that it was read from, such as 18.4. */
  readonly postgres: string;
  /**
   * True: everything that writes was stopped before, for good, so that grants and sequences may be kept. Otherwise the service may
   * have gone on writing.
   */
  readonly final: boolean;
  /** Whose schema the tables have: the migrations that had run, oldest first. */
  readonly migrations: readonly ArchivedMigration[];
  /** Sequence of the newest change in the log, which is the commit whose state this is; 0: there is none. */
  readonly sequence: number;
  /** Tables with rows of their own, partitions included. Not `schema_migrations`, which the migrations write. */
  readonly tables: readonly ArchivedTable[];
}

export interface ArchivedMigration {
  readonly version: number;
  readonly name: string;
  /** SHA-256 of its text. */
  readonly checksum: string;
}

export interface ArchivedTable {
  readonly name: string;
  /** In the order of the rows' values. Generated columns are left out: the database computes them again. */
  readonly columns: readonly string[];
  /** Null for a table that is no partition. */
  readonly partition: {
    readonly of: string;
    /** As PostgreSQL writes them: `FOR VALUES FROM ('2026-11-28') TO ('2026-11-29')` or `DEFAULT`. */
    readonly bounds: string;
  } | null;
}

/** What is known only at the end: `manifest.json`. */
export interface ArchiveManifest {
  /** RFC 3339. */
  readonly finishedAt: string;
  readonly tables: readonly TableCount[];
  /** In the order of the archive. */
  readonly parts: readonly PartRecord[];
  /** Values at the end, when all rows had been copied, and never below what the rows use. */
  readonly sequences: readonly ArchivedSequence[];
  /** What belongs to the installation and is not in the archive. */
  readonly outside: {
    /** Names of settings that were set; never their values. */
    readonly settings: readonly string[];
    /** Absolute paths of files that the settings name, and of those in the data directory that cannot be made again. */
    readonly files: readonly string[];
  };
}

export interface TableCount {
  readonly name: string;
  readonly rows: number;
  /** Of the rows as text. */
  readonly bytes: number;
}

export interface PartRecord {
  /** `data/<table>/<number>`. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

export interface ArchivedSequence {
  readonly name: string;
  /** A bigint in decimal. */
  readonly value: string;
  /** Whether the value was given out, so that the next one is greater: the third argument of `setval`. */
  readonly isCalled: boolean;
}

/** The name of a part: `data/listing/000001`. Parts of a table are numbered from 1 in the order of the archive. */
export const partName = (table: string, number: number): string =>
  `data/${table}/${String(number).padStart(6, '0')}`;

/** The table of a part; null for the name of another member. */
export const tableOfPart = (name: string): string | null => /^data\/(.+)\/\d{6,}$/.exec(name)?.[1] ?? null;
