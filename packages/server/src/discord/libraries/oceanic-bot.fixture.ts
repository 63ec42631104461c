// The bot of the short story with oceanic.js. Its gateway is compressed.
import {
  ChannelTypes,
  Client,
  type ComponentInteraction,
  MessageFlags,
  OverwriteTypes,
  Permissions,
  type TextChannel,
  Util,
} from 'oceanic.js'
import * as definitions from './short-bot-definitions.ts'

const client = new Client({
  auth: `Bot ${process.env.BOT_TOKEN}`,
  rest: { baseURL: `${process.env.API_URL}/v10` },
  gateway: {
    intents: ['GUILDS', 'GUILD_MODERATION', 'GUILD_MESSAGES', 'DIRECT_MESSAGES', 'MESSAGE_CONTENT'],
    compress: 'zstd-stream',
  },
})

const send = (channelID: string, content: string) =>
  client.rest.channels.createMessage(channelID, { content })
async function log(content: string): Promise<void> {
  for (const guild of client.guilds.values()) {
    const channel = guild.channels.find(({ name }) => name === 'bot-log')
    if (channel) await send(channel.id, content)
  }
}

client.on('ready', async () => {
  await client.application.bulkEditGlobalCommands(definitions.commands)
  for (const guild of client.guilds.values()) {
    await client.application.bulkEditGuildCommands(guild.id, definitions.serverCommands)
    const names = guild.channels.map(({ name }) => name).sort()
    await log(`Ready: ${client.user.username} ${names} ${guild.memberCount}`)
  }
})
client.on('shardResume', () => log('Resumed'))

const pollRow = Util.rawMessageComponents(definitions.pollRow)
const colorRow = Util.rawMessageComponents(definitions.colorRow)
const { custom_id: customID, title, components } = definitions.feedbackModal
const feedbackModal = { customID, title, components: Util.rawModalComponents(components) }

async function answerComponent(interaction: ComponentInteraction): Promise<void> {
  const { data, user } = interaction
  if ('values' in data) {
    await interaction.editParent({ content: `You chose ${data.values.getStrings()}`, components: [] })
    return
  }
  const content = definitions.vote(user.username, data.customID)
  if (data.customID === 'yes') return void (await interaction.editParent({ content }))
  await interaction.deferUpdate()
  await interaction.editOriginal({ content, components: [] })
  await interaction.createFollowup({ content: 'The poll has ended', flags: MessageFlags.EPHEMERAL })
}

client.on('interactionCreate', async interaction => {
  if (interaction.isAutocompleteInteraction()) {
    const { value } = interaction.data.options.getFocused(true)
    await interaction.result(definitions.citiesFor(String(value)))
  } else if (interaction.isCommandInteraction()) {
    const { name, options } = interaction.data
    if (name === 'greet') await interaction.reply({ content: `Hello, ${interaction.member?.displayName}!` })
    else if (name === 'rules') await interaction.reply({ content: 'Be kind.' })
    else if (name === 'poll') await interaction.reply({ content: 'Poll', components: [pollRow] })
    else if (name === 'choose') await interaction.reply({ content: 'Choose', components: [colorRow] })
    else if (name === 'feedback') await interaction.createModal(feedbackModal)
    else await interaction.reply({ content: `Off to ${options.getString('name', true)}` })
  } else if (interaction.isComponentInteraction()) await answerComponent(interaction)
  else if (interaction.isModalSubmitInteraction()) {
    const { components } = interaction.data
    const from = components.getTextInput('from') || '?'
    await interaction.reply({ content: `Thanks: ${components.getTextInput('text')} from ${from}` })
  }
})

client.on('messageCreate', async message => {
  const { author, channelID, content, guild } = message
  if (author.bot) return
  if (!guild) return void (await send(channelID, `You said: ${content}`))
  const [command, word = '', ...reason] = content.split(' ')
  const { VIEW_CHANNEL, SEND_MESSAGES } = Permissions
  if (command === '!ping')
    await client.rest.channels.createMessage(channelID, {
      content: 'Pong!',
      messageReference: { messageID: message.id },
    })
  else if (command === '!dm') await (await author.createDM()).createMessage({ content: 'Hello in private' })
  else if (command === '!channel') {
    const created = await guild.createChannel(ChannelTypes.GUILD_TEXT, {
      name: word,
      topic: 'For two',
      permissionOverwrites: [
        { id: guild.id, type: OverwriteTypes.ROLE, deny: VIEW_CHANNEL },
        { id: author.id, type: OverwriteTypes.MEMBER, allow: VIEW_CHANNEL },
        { id: client.user.id, type: OverwriteTypes.MEMBER, allow: VIEW_CHANNEL },
      ],
    })
    const edited: TextChannel = await created.edit({ topic: 'For three', rateLimitPerUser: 5 })
    const overwrite = { type: OverwriteTypes.MEMBER, allow: VIEW_CHANNEL, deny: SEND_MESSAGES }
    await edited.editPermission(author.id, overwrite)
    const visible = edited.permissionOverwrites.get(guild.id)?.json.VIEW_CHANNEL !== false
    await send(channelID, `Channel: ${edited.name} ${edited.topic} ${edited.rateLimitPerUser} ${visible}`)
  } else if (command === '!unchannel') await guild.channels.find(({ name }) => name === word)?.delete()
  else if (command === '!ban') await guild.createBan(word, { reason: reason.join(' ') })
  else if (command === '!audit') {
    const { entries, users } = await guild.getAuditLog()
    const by = users.find(({ id }) => id === entries[0]?.user?.id)?.username
    await send(
      channelID,
      `Audit: ${entries[0]?.reason} by ${by}: ${entries.map(({ actionType }) => actionType)}`,
    )
  }
})
client.on('guildBanAdd', (_, user) => log(`Banned: ${user.username}`))
client.on('channelCreate', channel => log(`Channel created: ${'name' in channel ? channel.name : ''}`))
client.on('channelUpdate', (channel, before) => log(`Channel: ${before?.name} → ${channel.name}`))
client.on('channelDelete', channel => log(`Channel deleted: ${'name' in channel ? channel.name : ''}`))

await client.connect()
