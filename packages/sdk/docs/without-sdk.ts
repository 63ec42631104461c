const { GATEHOUSE_URL = 'http://localhost:3000', BOT_TOKEN: token = '' } = process.env

const gateway = await fetch(`${GATEHOUSE_URL}/api/gateway`)
const { url } = (await gateway.json()) as { url: string }
const socket = new WebSocket(url)
let lastSequence: number | null = null

const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d }))

socket.addEventListener('message', ({ data }) => {
  const { op, d, s, t } = JSON.parse(data)
  if (s !== undefined) lastSequence = s
  // 10, hello: identify, and beat from now on.
  if (op === 10) {
    send(2, { token })
    setInterval(() => send(1, lastSequence), d.heartbeatInterval)
  }
  if (t === 'READY') console.log('ready')
  if (t === 'INTERACTION_CREATE') answer(d).catch(console.error)
})
socket.addEventListener('close', ({ code }) => {
  // A bot that is to live long resumes here (op 6), or identifies anew; after 4004 neither helps.
  console.error(`closed with ${code}`)
  process.exit(1)
})

interface Interaction {
  id: string
  token: string
  user: { id: string }
}

/** Within 3 seconds, and once. */
async function answer(interaction: Interaction): Promise<void> {
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
