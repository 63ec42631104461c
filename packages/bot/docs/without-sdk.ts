const { GATEHOUSE_URL = 'http://localhost:3000', BOT_TOKEN: token = '' } = process.env

const gateway = await fetch(`${GATEHOUSE_URL}/api/gateway`)
const { url } = (await gateway.json()) as { url: string }
const socket = new WebSocket(url)
let lastSequence: number | null = null

const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d }))

socket.addEventListener('message', ({ data }) => {
  const { op, d, s, t } = JSON.parse(data)
  if (s !== undefined) lastSequence = s
  // Opcode 10 is hello: identify, and start the heartbeats.
  if (op === 10) {
    send(2, { token })
    setInterval(() => send(1, lastSequence), d.heartbeatInterval)
  }
  if (t === 'READY') console.log('ready')
  if (t === 'INTERACTION_CREATE') respond(d).catch(console.error)
})
socket.addEventListener('close', ({ code }) => {
  // A real bot reconnects and resumes (opcode 6), or identifies again. After 4004 it needs a new token.
  console.error(`closed with ${code}`)
  process.exit(1)
})

interface Interaction {
  id: string
  token: string
  user: { id: string }
}

/** The first response is accepted once, within 3 seconds. */
async function respond(interaction: Interaction): Promise<void> {
  const response = await fetch(
    `${GATEHOUSE_URL}/api/interactions/${interaction.id}/${interaction.token}/callback`,
    {
      method: 'POST',
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'message', data: { content: `Hello <@${interaction.user.id}>!` } }),
    },
  )
  if (!response.ok) console.error(response.status, await response.json())
}
