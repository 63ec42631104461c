// The bot of the short story with seyfert, which connects to the gateway by TLS only.
import { globalAgent } from 'node:https'
import {
  type AllChannels,
  ApiHandler,
  type ButtonInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  Client,
  type createEvent,
  MessageFlags,
  OverwriteType,
  PermissionFlagsBits,
} from 'seyfert'
import * as definitions from './short-bot-definitions.ts'

const token = process.env.BOT_TOKEN ?? ''
const url = new URL(process.env.API_URL ?? 'https://discord.com/api')
// Only because the address of the tests has a port: the library omits that of the gateway.
Object.assign(globalAgent, { defaultPort: Number(url.port) })

const client = new Client({
  getRC: () => ({
    token,
    locations: { base: '.' },
    debug: false,
    intents: ['Guilds', 'GuildModeration', 'GuildMessages', 'DirectMessages', 'MessageContent'],
  }),
})
client.setServices({ rest: new ApiHandler({ token, domain: url.origin, baseUrl: 'api/v10' }) })

let home = ''
const nameOf = (channel: AllChannels) => ('name' in channel ? channel.name : '')
const send = (channelId: string, content: string) => client.messages.write(channelId, { content })
async function findChannel(name: string): Promise<string> {
  const channels = await client.guilds.channels.list(home)
  return channels.find(channel => nameOf(channel) === name)?.id ?? ''
}
const log = async (content: string) => void (await send(await findChannel('bot-log'), content))

async function answerCommand(interaction: ChatInputCommandInteraction): Promise<void> {
  const { name, options } = interaction.data
  if (name === 'greet') await interaction.write({ content: `Hello, ${interaction.member?.displayName}!` })
  else if (name === 'rules') await interaction.write({ content: 'Be kind.' })
  else if (name === 'poll') await interaction.write({ content: 'Poll', components: [definitions.pollRow] })
  else if (name === 'choose')
    await interaction.write({ content: 'Choose', components: [definitions.colorRow] })
  else if (name === 'feedback') await interaction.modal(definitions.feedbackModal)
  else if (options?.[0] && 'value' in options[0])
    await interaction.write({ content: `Off to ${options[0].value}` })
}

async function answerButton(interaction: ButtonInteraction): Promise<void> {
  const { customId } = interaction
  const content = definitions.vote(interaction.user.username, customId)
  if (customId === 'yes') return interaction.update({ content })
  await interaction.deferUpdate()
  await interaction.editResponse({ content, components: [] })
  await interaction.followup({ content: 'The poll has ended', flags: MessageFlags.Ephemeral })
}

type EventName = Parameters<typeof createEvent>[0]['data']['name']

function on<Name extends EventName>(name: Name, run: Parameters<typeof createEvent<Name>>[0]['run']): void {
  client.events.set([{ data: { name, once: false }, run }])
}

// Of a guild that the bot is in when it connects.
on('rawGuildCreate', async guild => {
  home = guild.id
  const application = client.proxy.applications(client.applicationId)
  await application.commands.put({ body: definitions.commands })
  await application.guilds(guild.id).commands.put({ body: definitions.serverCommands })
  const channels = await guild.channels.list()
  await log(`Ready: ${client.me.username} ${channels.map(nameOf).sort()} ${guild.memberCount}`)
})
on('resumed', () => log('Resumed'))
on('interactionCreate', async interaction => {
  if (interaction.isChatInput()) await answerCommand(interaction)
  else if (interaction.isButton()) await answerButton(interaction)
  else if (interaction.isStringSelectMenu())
    await interaction.update({ content: `You chose ${interaction.values}`, components: [] })
  else if (interaction.isAutocomplete())
    await interaction.respond(definitions.citiesFor(interaction.getInput()))
  else if (interaction.isModal()) {
    const from = interaction.getInputValue('from') || '?'
    await interaction.write({ content: `Thanks: ${interaction.getInputValue('text')} from ${from}` })
  }
})

on('messageCreate', async ({ author, channelId, content, guildId, id }) => {
  if (author.bot) return
  if (guildId === undefined) return void (await send(channelId, `You said: ${content}`))
  const [command, word = '', ...reason] = content.split(' ')
  const view = String(PermissionFlagsBits.ViewChannel)
  if (command === '!ping')
    await client.messages.write(channelId, { content: 'Pong!', message_reference: { message_id: id } })
  else if (command === '!dm') await client.users.write(author.id, { content: 'Hello in private' })
  else if (command === '!channel') {
    const created = await client.guilds.channels.create(guildId, {
      name: word,
      type: ChannelType.GuildText,
      topic: 'For two',
      permission_overwrites: [
        { id: guildId, type: OverwriteType.Role, deny: view, allow: '0' },
        { id: author.id, type: OverwriteType.Member, allow: view, deny: '0' },
        { id: client.botId, type: OverwriteType.Member, allow: view, deny: '0' },
      ],
    })
    const edited = await client.channels.edit(created.id, { topic: 'For three', rate_limit_per_user: 5 })
    const { Member: type } = OverwriteType
    const overwrite = { type, allow: ['ViewChannel' as const], deny: ['SendMessages' as const] }
    await client.channels.editOverwrite(created.id, author.id, overwrite, { guildId })
    if (!edited.isTextGuild()) return
    const raw = await client.channels.raw(created.id, true)
    const overwrites = 'permission_overwrites' in raw ? raw.permission_overwrites : []
    const everyone = overwrites?.find(each => each.id === guildId)
    const visible = (BigInt(everyone?.deny ?? 0) & PermissionFlagsBits.ViewChannel) === 0n
    await send(channelId, `Channel: ${edited.name} ${edited.topic} ${edited.rateLimitPerUser} ${visible}`)
  } else if (command === '!unchannel') await client.channels.delete(await findChannel(word))
  else if (command === '!ban') await client.bans.create(guildId, word, { reason: reason.join(' ') })
  else if (command === '!audit') {
    const { audit_log_entries: entries, users } = await client.proxy.guilds(guildId)['audit-logs'].get()
    const by = users.find(user => user.id === entries[0]?.user_id)?.username
    await send(channelId, `Audit: ${entries[0]?.reason} by ${by}: ${entries.map(each => each.action_type)}`)
  }
})
on('guildBanAdd', ({ user }) => log(`Banned: ${user.username}`))
on('channelCreate', channel => log(`Channel created: ${nameOf(channel)}`))
on('channelUpdate', ([channel, before]) => log(`Channel: ${before && nameOf(before)} → ${nameOf(channel)}`))
on('channelDelete', channel => log(`Channel deleted: ${nameOf(channel)}`))

await client.start()
