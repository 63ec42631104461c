// A minimal handler: parses the JSON without validation and inserts it with group commit.
import { createServer } from 'node:http'
import { createInserts } from './group-commit.ts'
import { listen } from './listen.ts'

const [file = ''] = process.argv.slice(2)
const insert = createInserts(file)
const channelId = '1000000000000000000'
let last = 1_000_000_000_000_000_000n

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const { content } = JSON.parse(Buffer.concat(chunks).toString())
    const id = String(++last)
    void insert(id, channelId, content).then(() => {
      if (!request.url?.endsWith('wait=true')) return response.writeHead(204).end()
      const body = JSON.stringify({ id, channel_id: channelId, content })
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      return response.end(body)
    })
  })
})
listen(server)
