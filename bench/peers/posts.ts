// A minimal handler: parses the JSON without validation and inserts it with group commit.
import { createInserts } from './group-commit.ts'
import { createPostServer, listen } from './listen.ts'

const [file = ''] = process.argv.slice(2)
const insert = createInserts(file)
const channelId = '1000000000000000000'
let last = 1_000_000_000_000_000_000n

const server = createPostServer(async content => {
  const id = String(++last)
  await insert(id, channelId, content)
  return { id, channel_id: channelId, content }
})
listen(server)
