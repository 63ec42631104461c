/**
 * The storage port: one SQL, two engines. The common subset of SQLite and PostgreSQL: TEXT, BIGINT, SMALLINT, BYTEA,
 * `ON CONFLICT`, `RETURNING`, keyset pages. Ids are TEXT, times BIGINT milliseconds, JSON is TEXT, truth is SMALLINT.
 *
 * Values never enter the text. The identity of the template is the key of the prepared statement, so a statement is
 * written as a literal where it is used, never built.
 */
/**
 * Numbers are safe integers, text is without U+0000; anything else is refused before it is sent. PostgreSQL takes the
 * type of a bare parameter in a SELECT list for text: write `CAST(${n} AS BIGINT)` there.
 */
export type SqlValue = string | number | null | Uint8Array | SqlList

/** A list of strings for `WHERE id IN ${list(ids)}`: one parameter, one prepared statement, whatever the length. */
export class SqlList {
  readonly values: readonly string[]
  constructor(values: readonly string[]) {
    this.values = values
  }
}

export function list(values: readonly string[]): SqlList {
  return new SqlList(values)
}

export interface Sql {
  /** The first row, or undefined where there is none. */
  get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined>
  all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]>
  /** The number of rows changed. */
  run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number>
}

export interface Transaction extends Sql {
  /** Runs once the work is durable, in the order given; never runs where it was rolled back. Must not throw. */
  afterCommit(f: () => void): void
}

/**
 * Outside a transaction: reads, and single statements that change something (also by `get … RETURNING`), each durable
 * when its promise settles.
 */
export interface Database extends Sql {
  readonly engine: 'sqlite' | 'postgres'
  /**
   * Runs `work` atomically: all of it is durable when the promise resolves, nothing of it stands when it rejects.
   * The work awaits nothing but its own handle; using the handle after its turn throws. A statement that failed dooms
   * its transaction, also where the work catches the error. Isolation: read committed at least; what must not happen
   * twice is decided by a conditional UPDATE or a unique index, never by a read before.
   * `work` may be run again: on PostgreSQL after a serialization failure or deadlock (three times at most), on SQLite
   * where a neighbour in the same batch failed and had changed something. What it does beside its statements bears that.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Waits for what is under way, then closes. */
  close(): Promise<void>
}

/** The store refused because a unique index or a primary key stands against it; `constraint` names it where known. */
export class UniqueViolation extends Error {
  readonly constraint: string
  constructor(constraint: string, cause: unknown) {
    super(`unique constraint violated: ${constraint}`, { cause })
    this.name = 'UniqueViolation'
    this.constraint = constraint
  }
}

/** The store refused because what a foreign key names is not there: it was deleted in this very moment. */
export class ReferenceViolation extends Error {
  constructor(cause: unknown) {
    super('what this refers to is not there', { cause })
    this.name = 'ReferenceViolation'
  }
}

/** The database cannot be used at the moment (gone, full, locked): answered as 503, worth another try. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is unavailable', { cause })
    this.name = 'StorageUnavailable'
  }
}
