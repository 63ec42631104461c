// The bot of the short story with Eris, which sends its requests by HTTPS only.
import { globalAgent } from 'node:https'
import {
  AutocompleteInteraction,
  Client,
  CommandInteraction,
  ComponentInteraction,
  Constants,
  ModalSubmitInteraction,
} from 'eris'
import * as definitions from './short-bot-definitions.ts'

const url = new URL(process.env.API_URL ?? 'https://discord.com/api')
// Only because the address of the tests has a port: the library knows none.
Object.assign(globalAgent, { defaultPort: Number(url.port) })

const client = new Client(`Bot ${process.env.BOT_TOKEN}`, {
  intents: ['guilds', 'guildBans', 'guildMessages', 'directMessages', 'messageContent'],
  rest: { domain: url.hostname, baseURL: `${url.pathname}/v10` },
})

async function log(content: string): Promise<void> {
  for (const guild of client.guilds.values()) {
    const channel = guild.channels.find(({ name }) => name === 'bot-log')
    if (channel) await client.createMessage(channel.id, content)
  }
}

client.on('error', console.error)
client.on('ready', async () => {
  await client.bulkEditCommands(definitions.commands)
  for (const guild of client.guilds.values()) {
    await guild.bulkEditCommands(definitions.serverCommands)
    const names = guild.channels.map(({ name }) => name).sort()
    await log(`Ready: ${client.user.username} ${names} ${guild.memberCount}`)
  }
})
client.on('shardResume', () => log('Resumed'))

async function answerCommand(interaction: CommandInteraction): Promise<void> {
  const { name, options = [] } = interaction.data
  const user = interaction.member?.user
  if (name === 'greet') await interaction.createMessage(`Hello, ${user?.globalName ?? user?.username}!`)
  else if (name === 'rules') await interaction.createMessage('Be kind.')
  else if (name === 'poll')
    await interaction.createMessage({ content: 'Poll', components: [definitions.pollRow] })
  else if (name === 'choose')
    await interaction.createMessage({ content: 'Choose', components: [definitions.colorRow] })
  else if (name === 'feedback') await interaction.createModal(definitions.feedbackModalOfRows)
  else if (options[0] && 'value' in options[0]) await interaction.createMessage(`Off to ${options[0].value}`)
}

async function answerComponent(interaction: ComponentInteraction): Promise<void> {
  const { data, member } = interaction
  if ('values' in data) return interaction.editParent({ content: `You chose ${data.values}`, components: [] })
  const content = definitions.vote(member?.username ?? '', data.custom_id)
  if (data.custom_id === 'yes') return interaction.editParent({ content })
  await interaction.deferUpdate()
  await interaction.editOriginalMessage({ content, components: [] })
  const { EPHEMERAL: flags } = Constants.MessageFlags
  await interaction.createFollowup({ content: 'The poll has ended', flags })
}

client.on('interactionCreate', async interaction => {
  if (interaction instanceof CommandInteraction) await answerCommand(interaction)
  else if (interaction instanceof ComponentInteraction) await answerComponent(interaction)
  else if (interaction instanceof AutocompleteInteraction) {
    const [option] = interaction.data.options
    await interaction.result(definitions.citiesFor(option && 'value' in option ? String(option.value) : ''))
  } else if (interaction instanceof ModalSubmitInteraction) {
    const [text, from] = interaction.data.components.flatMap(({ components }) => components)
    await interaction.createMessage(`Thanks: ${text?.value} from ${from?.value || '?'}`)
  }
})

client.on('messageCreate', async ({ author, channel, content, guildID, id }) => {
  if (author.bot) return
  const guild = client.guilds.get(guildID ?? '')
  if (!guild) return void (await client.createMessage(channel.id, `You said: ${content}`))
  const [command, word = '', ...reason] = content.split(' ')
  const { viewChannel, sendMessages } = Constants.Permissions
  if (command === '!ping')
    await client.createMessage(channel.id, { content: 'Pong!', messageReference: { messageID: id } })
  else if (command === '!dm') await client.createMessage((await author.getDMChannel()).id, 'Hello in private')
  else if (command === '!channel') {
    const { ROLE, USER } = Constants.PermissionOverwriteTypes
    const created = await guild.createChannel(word, Constants.ChannelTypes.GUILD_TEXT, {
      topic: 'For two',
      permissionOverwrites: [
        { id: guild.id, type: ROLE, allow: 0n, deny: viewChannel },
        { id: author.id, type: USER, allow: viewChannel, deny: 0n },
        { id: client.user.id, type: USER, allow: viewChannel, deny: 0n },
      ],
    })
    const edited = await created.edit({ topic: 'For three', rateLimitPerUser: 5 })
    await edited.editPermission(author.id, viewChannel, sendMessages, USER)
    const visible = edited.permissionOverwrites.get(guild.id)?.has('viewChannel') ?? true
    const { name, topic, rateLimitPerUser } = edited
    await client.createMessage(channel.id, `Channel: ${name} ${topic} ${rateLimitPerUser} ${visible}`)
  } else if (command === '!unchannel') await guild.channels.find(({ name }) => name === word)?.delete()
  else if (command === '!ban') await guild.banMember(word, { reason: reason.join(' ') })
  else if (command === '!audit') {
    const { entries } = await guild.getAuditLog()
    const types = entries.map(({ actionType }) => actionType)
    const [{ reason, user } = {}] = entries
    const by = user && 'username' in user ? user.username : undefined
    await client.createMessage(channel.id, `Audit: ${reason} by ${by}: ${types}`)
  }
})
client.on('guildBanAdd', (_, user) => log(`Banned: ${user.username}`))
client.on('channelCreate', channel => log(`Channel created: ${channel.name}`))
client.on('channelUpdate', (channel, before) => log(`Channel: ${before.name} → ${channel.name}`))
client.on('channelDelete', channel => log(`Channel deleted: ${'name' in channel ? channel.name : ''}`))

await client.connect()
