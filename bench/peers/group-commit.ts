import { DatabaseSync } from 'node:sqlite'

/** Minimal durable inserts. All inserts of one event loop turn share a commit. */
export function createInserts(
  file: string,
): (id: string, channelId: string, content: string) => Promise<void> {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;')
  db.exec('CREATE TABLE posts (id TEXT PRIMARY KEY, channel_id TEXT NOT NULL, content TEXT NOT NULL)')
  const begin = db.prepare('BEGIN IMMEDIATE')
  const insert = db.prepare('INSERT INTO posts (id, channel_id, content) VALUES (?, ?, ?)')
  const commit = db.prepare('COMMIT')
  let queue: { values: [string, string, string]; resolve: () => void }[] = []

  function flush(): void {
    const batch = queue
    queue = []
    begin.run()
    for (const { values } of batch) insert.run(...values)
    commit.run()
    for (const { resolve } of batch) resolve()
  }

  return (...values) =>
    new Promise(resolve => {
      if (queue.length === 0) setImmediate(flush)
      queue.push({ values, resolve })
    })
}
