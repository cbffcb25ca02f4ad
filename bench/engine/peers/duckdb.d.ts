// Types of DuckDB that the comparison uses: the package is installed only by who compares.

declare module '@duckdb/node-api' {
  export class DuckDBInstance {
    static create(path: string, options: Readonly<Record<string, string>>): Promise<DuckDBInstance>;
    connect(): Promise<DuckDBConnection>;
    closeSync(): void;
  }

  interface DuckDBConnection {
    run(text: string): Promise<unknown>;
    prepare(text: string): Promise<DuckDBPreparedStatement>;
    createAppender(table: string): Promise<DuckDBAppender>;
    closeSync(): void;
  }

  interface DuckDBAppender {
    appendVarchar(value: string): void;
    appendUTinyInt(value: number): void;
    appendUSmallInt(value: number): void;
    appendDouble(value: number): void;
    appendBigInt(value: bigint): void;
    endRow(): void;
    closeSync(): void;
  }

  export interface DuckDBPreparedStatement {
    /** Parameters count from 1. */
    bindDouble(parameter: number, value: number): void;
    run(): Promise<{ getRows(): Promise<unknown[][]> }>;
    destroySync(): void;
  }
}
