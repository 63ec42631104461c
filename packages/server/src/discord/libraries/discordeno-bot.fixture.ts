// The bot of the short story with Discordeno, which reads the id of the bot in its token and has no caches.
import {
  type ActionRow,
  ChannelTypes,
  camelize,
  createBot,
  createDesiredPropertiesObject,
  GatewayIntents,
  InteractionTypes,
  MessageComponentTypes,
  OverwriteTypes,
} from '@discordeno/bot'
import * as definitions from './short-bot-definitions.ts'

const desiredProperties = createDesiredPropertiesObject({}, true)
const bot = createBot({
  token: process.env.BOT_TOKEN ?? '',
  intents:
    GatewayIntents.Guilds |
    GatewayIntents.GuildModeration |
    GatewayIntents.GuildMessages |
    GatewayIntents.DirectMessages |
    GatewayIntents.MessageContent,
  rest: { proxy: { baseUrl: process.env.API_URL ?? 'https://discord.com/api' } },
  desiredProperties,
})
const { helpers } = bot
type Interaction = typeof bot.transformers.$inferredTypes.interaction
type Message = typeof bot.transformers.$inferredTypes.message

const channels = new Map<bigint, string>()
const idOf = (name: string) => [...channels].find(each => each[1] === name)?.[0] ?? 0n
const send = (channelId: bigint, content: string) => helpers.sendMessage(channelId, { content })
const log = (content: string) => send(idOf('bot-log'), content)

// The library types the components of a row as tuples.
const [yes, no, rules] = definitions.pollRow.components
const pollRow: ActionRow = { type: 1, components: [camelize(yes), camelize(no), camelize(rules)] }
const [colors] = definitions.colorRow.components
const colorRow: ActionRow = { type: 1, components: [camelize(colors)] }
const { custom_id: customId, title, components } = definitions.feedbackModalOfRows
const feedbackRows = components.map(
  (row): ActionRow => ({ type: 1, components: [camelize(row.components[0])] }),
)

async function answerCommand(interaction: Interaction): Promise<void> {
  const { name, options } = interaction.data ?? {}
  const { user } = interaction
  if (name === 'greet') await interaction.respond(`Hello, ${user.globalName ?? user.username}!`)
  else if (name === 'rules') await interaction.respond('Be kind.')
  else if (name === 'poll') await interaction.respond({ content: 'Poll', components: [pollRow] })
  else if (name === 'choose') await interaction.respond({ content: 'Choose', components: [colorRow] })
  else if (name === 'feedback') await interaction.respond({ customId, title, components: feedbackRows })
  else await interaction.respond(`Off to ${options?.[0]?.value}`)
}

async function answerComponent(interaction: Interaction): Promise<void> {
  const { customId = '', componentType, values = [] } = interaction.data ?? {}
  if (componentType === MessageComponentTypes.SelectMenu)
    return void (await interaction.edit({ content: `You chose ${values}`, components: [] }))
  const content = definitions.vote(interaction.user.username, customId)
  if (customId === 'yes') return void (await interaction.edit({ content }))
  await interaction.deferEdit()
  await interaction.edit({ content, components: [] })
  await interaction.respond('The poll has ended', { isPrivate: true })
}

async function answerMessage(message: Message): Promise<void> {
  const { author, channelId, content, guildId, id } = message
  if (author.bot) return
  if (guildId === undefined) return void (await send(channelId, `You said: ${content}`))
  const [command, word = '', ...reason] = content.split(' ')
  if (command === '!ping') {
    const messageReference = { messageId: id, failIfNotExists: false }
    await helpers.sendMessage(channelId, { content: 'Pong!', messageReference })
  } else if (command === '!dm') await send((await helpers.getDmChannel(author.id)).id, 'Hello in private')
  else if (command === '!channel') {
    const member = { type: OverwriteTypes.Member, allow: ['VIEW_CHANNEL' as const] }
    const created = await helpers.createChannel(guildId, {
      name: word,
      type: ChannelTypes.GuildText,
      topic: 'For two',
      permissionOverwrites: [
        { id: guildId, type: OverwriteTypes.Role, deny: ['VIEW_CHANNEL'] },
        { id: author.id, ...member },
        { id: bot.id, ...member },
      ],
    })
    const edited = await helpers.editChannel(created.id, { topic: 'For three', rateLimitPerUser: 5 })
    const overwrite = { id: author.id, ...member, deny: ['SEND_MESSAGES' as const] }
    await helpers.editChannelPermissionOverrides(created.id, overwrite)
    const everyone = edited.permissionOverwrites?.find(each => each.id === guildId)
    const visible = !everyone?.deny?.includes('VIEW_CHANNEL')
    await send(channelId, `Channel: ${edited.name} ${edited.topic} ${edited.rateLimitPerUser} ${visible}`)
  } else if (command === '!unchannel') await helpers.deleteChannel(idOf(word))
  else if (command === '!ban') await helpers.banMember(guildId, word, {}, reason.join(' '))
  else if (command === '!audit') {
    const { auditLogEntries: entries, users } = await helpers.getAuditLog(guildId)
    const by = users.find(user => user.id === entries[0]?.userId)?.username
    await send(channelId, `Audit: ${entries[0]?.reason} by ${by}: ${entries.map(each => each.actionType)}`)
  }
}

bot.events = {
  async guildCreate(guild) {
    for (const channel of guild.channels?.values() ?? []) channels.set(channel.id, channel.name ?? '')
    await helpers.upsertGlobalApplicationCommands(definitions.commands)
    await helpers.upsertGuildApplicationCommands(guild.id, definitions.serverCommands)
    const { username } = await helpers.getUser(bot.id)
    await log(`Ready: ${username} ${[...channels.values()].sort()} ${guild.memberCount}`)
  },
  async interactionCreate(interaction) {
    const { type, data } = interaction
    if (type === InteractionTypes.ApplicationCommand) await answerCommand(interaction)
    else if (type === InteractionTypes.MessageComponent) await answerComponent(interaction)
    else if (type === InteractionTypes.ApplicationCommandAutocomplete)
      await interaction.respond({ choices: definitions.citiesFor(String(data?.options?.[0]?.value)) })
    else {
      const [text, from] = data?.components?.map(row => row.components?.[0]?.value) ?? []
      await interaction.respond(`Thanks: ${text} from ${from || '?'}`)
    }
  },
  messageCreate: answerMessage,
  guildBanAdd: user => log(`Banned: ${user.username}`),
  async channelCreate(channel) {
    channels.set(channel.id, channel.name ?? '')
    await log(`Channel created: ${channel.name}`)
  },
  async channelUpdate(channel) {
    await log(`Channel: ${channels.get(channel.id)} → ${channel.name}`)
    channels.set(channel.id, channel.name ?? '')
  },
  channelDelete: channel => log(`Channel deleted: ${channel.name}`),
}
bot.gateway.events.resumed = () => void log('Resumed')

await bot.start()
