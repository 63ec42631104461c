// The bot of the short story with @discordjs/core, which has no caches. Its gateway is compressed.
import {
  type APIChannel,
  type APIInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ChannelType,
  Client,
  ComponentType,
  GatewayDispatchEvents,
  GatewayIntentBits,
  InteractionType,
  MessageFlags,
  OverwriteType,
  PermissionFlagsBits,
} from '@discordjs/core'
import { REST } from '@discordjs/rest'
import { CompressionMethod, WebSocketManager } from '@discordjs/ws'
import * as definitions from './short-bot-definitions.ts'

const token = process.env.BOT_TOKEN ?? ''
const rest = new REST({ api: process.env.API_URL ?? 'https://discord.com/api' }).setToken(token)
const intents =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildModeration |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent
const compression = CompressionMethod.ZlibNative
const gateway = new WebSocketManager({ token, intents, rest, compression })
const client = new Client({ rest, gateway })
const { api } = client
client.on('error', console.error)

const channels = new Map<string, string>()
const nameOf = (channel: APIChannel) => channel.name ?? ''
const send = (channelId: string, content: string) => api.channels.createMessage(channelId, { content })
const log = (content: string) => {
  const [id] = [...channels].find(([, name]) => name === 'bot-log') ?? []
  return id === undefined ? undefined : send(id, content)
}

client.on(GatewayDispatchEvents.GuildCreate, async ({ data: guild }) => {
  const application = await api.applications.getCurrent()
  await api.applicationCommands.bulkOverwriteGlobalCommands(application.id, definitions.commands)
  await api.applicationCommands.bulkOverwriteGuildCommands(
    application.id,
    guild.id,
    definitions.serverCommands,
  )
  for (const channel of guild.channels) channels.set(channel.id, nameOf(channel))
  const user = await api.users.getCurrent()
  await log(`Ready: ${user.username} ${[...channels.values()].sort()} ${guild.member_count}`)
})
client.on(GatewayDispatchEvents.Resumed, async () => void (await log('Resumed')))

async function handleCommand(interaction: APIInteraction): Promise<void> {
  const { id, token } = interaction
  const reply = (data: Parameters<typeof api.interactions.reply>[2]) =>
    api.interactions.reply(id, token, data)
  if (interaction.type !== InteractionType.ApplicationCommand) return
  if (interaction.data.type !== ApplicationCommandType.ChatInput) return
  const [option] = interaction.data.options ?? []
  const { name } = interaction.data
  const user = interaction.member?.user
  if (name === 'greet') await reply({ content: `Hello, ${user?.global_name ?? user?.username}!` })
  else if (name === 'rules') await reply({ content: 'Be kind.' })
  else if (name === 'poll') await reply({ content: 'Poll', components: [definitions.pollRow] })
  else if (name === 'choose') await reply({ content: 'Choose', components: [definitions.colorRow] })
  else if (name === 'feedback') await api.interactions.createModal(id, token, definitions.feedbackModal)
  else if (option?.type === ApplicationCommandOptionType.String)
    await reply({ content: `Off to ${option.value}` })
}

async function handleComponent(interaction: APIInteraction): Promise<void> {
  if (interaction.type !== InteractionType.MessageComponent) return
  const { id, token, data, application_id } = interaction
  const { interactions } = api
  if (data.component_type === ComponentType.StringSelect) {
    await interactions.updateMessage(id, token, { content: `You chose ${data.values}`, components: [] })
    return
  }
  const content = definitions.vote(interaction.member?.user.username ?? '', data.custom_id)
  if (data.custom_id === 'yes') await interactions.updateMessage(id, token, { content })
  else {
    await interactions.deferMessageUpdate(id, token)
    await interactions.editReply(application_id, token, { content, components: [] })
    const end = { content: 'The poll has ended', flags: MessageFlags.Ephemeral } as const
    await interactions.followUp(application_id, token, end)
  }
}

client.on(GatewayDispatchEvents.InteractionCreate, async ({ data: interaction }) => {
  await handleCommand(interaction)
  await handleComponent(interaction)
  const { id, token } = interaction
  if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
    const [option] = interaction.data.options
    const typed = option && 'value' in option ? String(option.value) : ''
    await api.interactions.createAutocompleteResponse(id, token, { choices: definitions.citiesFor(typed) })
  } else if (interaction.type === InteractionType.ModalSubmit) {
    const values = interaction.data.components.map(label =>
      label.type === ComponentType.Label && 'value' in label.component ? label.component.value : '',
    )
    await api.interactions.reply(id, token, { content: `Thanks: ${values[0]} from ${values[1] || '?'}` })
  }
})

client.on(GatewayDispatchEvents.MessageCreate, async ({ data: message }) => {
  const { author, channel_id, guild_id, content, id } = message
  if (author.bot) return
  if (guild_id === undefined) return void (await send(channel_id, `You said: ${content}`))
  const [command, word = '', ...reason] = content.split(' ')
  const view = String(PermissionFlagsBits.ViewChannel)
  if (command === '!ping')
    await api.channels.createMessage(channel_id, {
      content: 'Pong!',
      message_reference: { message_id: id },
    })
  else if (command === '!dm') await send((await api.users.createDM(author.id)).id, 'Hello in private')
  else if (command === '!channel') {
    const me = await api.users.getCurrent()
    const created = await api.guilds.createChannel(guild_id, {
      name: word,
      type: ChannelType.GuildText,
      topic: 'For two',
      permission_overwrites: [
        { id: guild_id, type: OverwriteType.Role, deny: view },
        { id: author.id, type: OverwriteType.Member, allow: view },
        { id: me.id, type: OverwriteType.Member, allow: view },
      ],
    })
    const edited = await api.channels.edit(created.id, { topic: 'For three', rate_limit_per_user: 5 })
    const deny = String(PermissionFlagsBits.SendMessages)
    const overwrite = { type: OverwriteType.Member, allow: view, deny }
    await api.channels.editPermissionOverwrite(created.id, author.id, overwrite)
    if (edited.type !== ChannelType.GuildText) return
    const everyone = edited.permission_overwrites?.find(each => each.id === guild_id)
    const visible = (BigInt(everyone?.deny ?? 0) & PermissionFlagsBits.ViewChannel) === 0n
    const { name, topic, rate_limit_per_user } = edited
    await send(channel_id, `Channel: ${name} ${topic} ${rate_limit_per_user} ${visible}`)
  } else if (command === '!unchannel') {
    const [found = ''] = [...channels].find(([, name]) => name === word) ?? []
    await api.channels.delete(found)
  } else if (command === '!ban') await api.guilds.banUser(guild_id, word, {}, { reason: reason.join(' ') })
  else if (command === '!audit') {
    const { audit_log_entries: entries, users } = await api.guilds.getAuditLogs(guild_id)
    const by = users.find(user => user.id === entries[0]?.user_id)?.username
    await send(channel_id, `Audit: ${entries[0]?.reason} by ${by}: ${entries.map(each => each.action_type)}`)
  }
})
client.on(
  GatewayDispatchEvents.GuildBanAdd,
  async ({ data }) => void (await log(`Banned: ${data.user.username}`)),
)
client.on(GatewayDispatchEvents.ChannelCreate, async ({ data: channel }) => {
  channels.set(channel.id, nameOf(channel))
  await log(`Channel created: ${nameOf(channel)}`)
})
client.on(GatewayDispatchEvents.ChannelUpdate, async ({ data: channel }) => {
  await log(`Channel: ${channels.get(channel.id)} → ${nameOf(channel)}`)
  channels.set(channel.id, nameOf(channel))
})
client.on(GatewayDispatchEvents.ChannelDelete, async ({ data: channel }) => {
  await log(`Channel deleted: ${nameOf(channel)}`)
})

await gateway.connect()
