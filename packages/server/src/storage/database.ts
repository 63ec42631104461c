/**
 * The port to the database. The same SQL runs on SQLite and PostgreSQL:
 *
 * - A statement is a template literal at the place of its use, and its values are parameters, except what `fragment`
 *   made. The identity of the template is the key of the prepared statement.
 * - Ids and JSON are TEXT, times are BIGINT milliseconds, booleans are SMALLINT, bytes are BYTEA. The result column
 *   `user_id` is the member `userId`.
 * - A page of the rows of one parent compares and orders by both columns, and hides the parent from the planner: `WHERE
 *   (channel_id, id) < ((SELECT ${channelId}), ${before}) ORDER BY channel_id DESC, id DESC LIMIT ${limit}`. With
 * `channel_id = ${channelId} … ORDER BY
 *   id`, PostgreSQL may walk the index of the ids and skip the rows of all other parents.
 * - `FOR KEY SHARE` at the end of a SELECT makes the deletion of its rows wait for the end of the transaction, and `FOR
 *   SHARE` also each other change of them. Transactions that share a lock do not wait for each other. SQLite runs
 * transactions one after the other and
 *   drops both.
 */

/**
 * A parameter. Numbers must be safe integers and text must not contain U+0000; other values are rejected before the
 * statement is sent. PostgreSQL infers text for a bare parameter in a SELECT list: write `CAST(${n} AS BIGINT)` there.
 */
export type SqlValue = string | number | null | Uint8Array | SqlList | SqlFragment

/** A list of strings for `WHERE id IN ${list(ids)}`: one parameter and one prepared statement for every length. */
export class SqlList {
  readonly values: readonly string[]
  constructor(values: readonly string[]) {
    this.values = values
  }
}

export function list(values: readonly string[]): SqlList {
  return new SqlList(values)
}

/** A part of the text of statements, and no parameter. */
export class SqlFragment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * A list of columns or a condition that statements of the same store share: `SELECT ${columns} FROM …`. It has no
 * parameters, and no statement begins with it.
 */
export function fragment([text = '']: TemplateStringsArray): SqlFragment {
  return new SqlFragment(text)
}

export interface Sql {
  /** The first row, or undefined. */
  get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined>
  all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]>
  /** The number of changed rows. */
  run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number>
}

export interface Transaction extends Sql {
  /** Hooks run in order after the commit is durable, and never after a rollback. A hook must not throw. */
  afterCommit(hook: () => void): void
}

/**
 * Outside a transaction: reads, and single statements that change rows (also `get` with `RETURNING`). Such a statement
 * is durable when its promise resolves.
 */
export interface Database extends Sql {
  readonly engine: 'sqlite' | 'postgres'
  /** What was sent to the database server. Undefined for SQLite, which has none. */
  readonly traffic?: Readonly<Traffic>
  /**
   * Runs `work` atomically. When the promise resolves, the transaction is durable. When it rejects, it is rolled back,
   * except that after StorageUnavailable it may be committed: for example, the connection was lost before the response
   * to COMMIT. In both cases its hooks do not run.
   *
   * `work` must await only its own `tx`, and `tx` throws after `work` has returned. After a failed statement the
   * transaction can only roll back, even if `work` catches the error. The isolation level is the default of the
   * PostgreSQL server, at least read committed, so a conditional UPDATE or a unique index must enforce what may happen
   * only once; a preceding read cannot.
   *
   * On PostgreSQL `work` runs again after a serialization failure or a deadlock, at most three times. Its side effects
   * must allow that.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** The version of the database server or of SQLite, and the size of the database in bytes. */
  describe(): Promise<{ version: string; size: number }>
  /** Waits for running statements and transactions, then closes. */
  close(): Promise<void>
}

/** Totals for the metrics. */
export interface Traffic {
  /**
   * Statements that one connection sent in the same turn of the event loop count once: they do not wait for each other.
   */
  roundTrips: number
  /** Includes BEGIN and COMMIT. */
  statements: number
  /** A statement outside of a transaction counts as one. */
  transactions: number
}

/** A unique index or primary key rejected a row. `constraint` is its name, if known. */
export class UniqueViolation extends Error {
  readonly constraint: string
  constructor(constraint: string, cause: unknown) {
    super(`unique constraint violated: ${constraint}`, { cause })
    this.name = 'UniqueViolation'
    this.constraint = constraint
  }
}

/** A foreign key rejected a row: a concurrent transaction deleted the referenced row. */
export class ReferenceViolation extends Error {
  constructor(cause: unknown) {
    super('the referenced row does not exist', { cause })
    this.name = 'ReferenceViolation'
  }
}

/** The database is unreachable, full or locked. The HTTP response is 503; a retry can succeed. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is unavailable', { cause })
    this.name = 'StorageUnavailable'
  }
}

/**
 * Runs the hooks in order. The commit is durable already, so a hook that throws must not stop the others: its error
 * becomes a process warning.
 */
export function runAfterCommit(hooks: readonly (() => void)[]): void {
  for (const hook of hooks) {
    try {
      hook()
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : new Error('afterCommit threw', { cause: error }))
    }
  }
}
