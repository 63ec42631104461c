// A bot for Discord, in which only the address of the API is another one. It answers commands (discord-js-commands),
// acts on messages that begin with `!`, and writes what happens on the server to the channel `bot-log`.
import {
  type APIEmbed,
  AuditLogEvent,
  ChannelType,
  Client,
  type ClientEvents,
  Events,
  GatewayIntentBits,
  type Guild,
  type GuildMember,
  type Message,
  type OmitPartialGroupDMChannel,
  Partials,
  PermissionFlagsBits,
  userMention,
} from 'discord.js'
import { autocompleteCity, commands, handleCommand, serverCommands } from './discord-js-commands.fixture.ts'

const client = new Client({
  intents: [
    GatewayIntentBits.Guilds,
    GatewayIntentBits.GuildMembers,
    GatewayIntentBits.GuildModeration,
    GatewayIntentBits.GuildMessages,
    GatewayIntentBits.DirectMessages,
    GatewayIntentBits.MessageContent,
  ],
  // For direct messages in channels that the client does not know yet.
  partials: [Partials.Channel],
  rest: { api: process.env.API_URL ?? 'https://discord.com/api' },
})

function on<Name extends keyof ClientEvents>(
  name: Name,
  listener: (...parameters: ClientEvents[Name]) => Promise<unknown>,
): void {
  client.on(name, (...parameters) => void listener(...parameters).catch(console.error))
}

async function log(guild: Guild, text: string): Promise<void> {
  const channel = guild.channels.cache.find(({ name }) => name === 'bot-log')
  if (channel?.isTextBased()) await channel.send({ content: text, allowedMentions: { parse: [] } })
}

async function logEverywhere(text: string): Promise<void> {
  for (const guild of client.guilds.cache.values()) await log(guild, text)
}

const names = (things: Iterable<{ name: string }>) => Array.from(things, ({ name }) => name).sort()
const roleNames = ({ guild, roles }: GuildMember) =>
  names(roles.cache.filter(({ id }) => id !== guild.id).values())

on(Events.ClientReady, async ready => {
  await ready.application.commands.set(commands)
  for (const guild of ready.guilds.cache.values()) {
    await guild.commands.set(serverCommands)
    const channels = names(guild.channels.cache.values())
    const permissions = guild.members.me?.permissions.has(PermissionFlagsBits.BanMembers)
    await log(guild, `Ready: ${ready.user.username} ${channels} ${guild.memberCount} ${permissions}`)
  }
})
on(Events.ShardReady, () => logEverywhere('Connected'))
on(Events.ShardResume, () => logEverywhere('Resumed'))

on(Events.InteractionCreate, async interaction => {
  if (interaction.isAutocomplete()) await autocompleteCity(interaction)
  else if (interaction.isCommand()) await handleCommand(interaction)
})

const prefixCommands: Record<string, (message: Message<true>, ...words: string[]) => Promise<unknown>> = {
  ping: message => message.reply('Pong!'),
  async card(message) {
    const embed: APIEmbed = {
      title: 'Card',
      description: `of ${message.member?.displayName}`,
      color: 0x2ecc71,
      fields: [{ name: 'Level', value: '3', inline: true }],
      footer: { text: 'the end' },
    }
    const mention = userMention(message.author.id)
    const allowedMentions = { users: [message.author.id] }
    await message.channel.send({ content: `${mention} @everyone`, embeds: [embed], allowedMentions })
  },
  async history(message, count) {
    const found = await message.channel.messages.fetch({ limit: Number(count), before: message.id })
    await message.channel.send(`History: ${found.map(({ content }) => content).join(', ')}`)
  },
  async around(message, id = '') {
    const found = await message.channel.messages.fetch({ limit: 3, around: id })
    await message.channel.send(`Around: ${found.map(({ content }) => content).join(', ')}`)
  },
  async clear(message, count) {
    const deleted = await message.channel.bulkDelete(Number(count))
    await message.channel.send(`Cleared ${deleted.size}`)
  },
  async draft(message) {
    const sent = await message.channel.send('A draft')
    await sent.edit({ content: 'A better draft' })
    await sent.delete()
    await message.channel.send('The draft is gone')
  },
  dm: message => message.author.send('Hello in private'),
  async role(message, name = '') {
    const role = await message.guild.roles.create({
      name,
      color: 0x3498db,
      permissions: [PermissionFlagsBits.ManageMessages],
    })
    const member = message.member ?? (await message.guild.members.fetch(message.author))
    const added = await member.roles.add(role, 'asked')
    const can = added.permissions.has(PermissionFlagsBits.ManageMessages)
    await role.setName(`${name}s`)
    await message.channel.send(`Role: ${added.roles.cache.has(role.id) ? name : 'none'} ${can}`)
    const removed = await added.roles.remove(role)
    await role.delete('no longer needed')
    await message.channel.send(`Roles: ${roleNames(removed).length}`)
  },
  async channel(message, name = '') {
    const { guild } = message
    const channel = await guild.channels.create({
      name,
      type: ChannelType.GuildText,
      topic: 'For two',
      permissionOverwrites: [
        { id: guild.roles.everyone.id, deny: [PermissionFlagsBits.ViewChannel] },
        { id: message.author.id, allow: [PermissionFlagsBits.ViewChannel] },
        { id: guild.client.user.id, allow: [PermissionFlagsBits.ViewChannel] },
      ],
    })
    const visible = channel.permissionsFor(guild.roles.everyone).has(PermissionFlagsBits.ViewChannel)
    const edited = await channel.edit({ topic: 'For three', rateLimitPerUser: 5 })
    await edited.permissionOverwrites.edit(message.author.id, { SendMessages: false })
    await message.channel.send(
      `Channel: ${edited.name} ${edited.topic} ${edited.rateLimitPerUser} ${visible}`,
    )
  },
  async unchannel(message, name) {
    await message.guild.channels.cache.find(channel => channel.name === name)?.delete()
  },
  async burst(message, count) {
    const texts = Array.from({ length: Number(count) }, (_, index) => `Burst ${index}`)
    await Promise.all(texts.map(text => message.channel.send(text)))
  },
}

async function runPrefixCommand(message: OmitPartialGroupDMChannel<Message>): Promise<void> {
  if (message.author.bot) return
  if (!message.inGuild()) {
    await message.channel.send(`You said: ${message.content}`)
    return
  }
  const [name = '', ...words] = message.content.startsWith('!') ? message.content.slice(1).split(' ') : []
  await prefixCommands[name]?.(message, ...words)
}

on(Events.MessageCreate, runPrefixCommand)
on(Events.MessageUpdate, async (before, after) => {
  if (after.inGuild() && !after.author.bot)
    await log(after.guild, `Edited: ${before.content} → ${after.content}`)
})
on(Events.MessageDelete, async message => {
  if (message.inGuild() && !message.author?.bot) await log(message.guild, `Deleted: ${message.content}`)
})
on(Events.GuildMemberAdd, async ({ guild, user }) => {
  const general = guild.channels.cache.find(({ name }) => name === 'general')
  if (general?.isTextBased()) await general.send(`Welcome, ${userMention(user.id)}!`)
})
on(Events.GuildMemberUpdate, async (before, after) => {
  const [rolesBefore, roles] = [roleNames(before as GuildMember), roleNames(after)]
  if (`${rolesBefore}` !== `${roles}`)
    await log(after.guild, `Roles of ${after.user.username}: ${roles.join(', ') || 'none'}`)
  if (before.isCommunicationDisabled() !== after.isCommunicationDisabled())
    await log(after.guild, `Timeout of ${after.user.username}: ${after.isCommunicationDisabled()}`)
})
on(Events.GuildMemberRemove, ({ guild, user }) => log(guild, `Left: ${user.username}`))
on(Events.GuildBanAdd, ({ guild, user }) => log(guild, `Banned: ${user.username}`))
on(Events.GuildBanRemove, ({ guild, user }) => log(guild, `Unbanned: ${user.username}`))
on(Events.GuildAuditLogEntryCreate, async ({ action, reason, executorId }, guild) => {
  const own = executorId === client.user?.id
  if (action === AuditLogEvent.MemberKick) await log(guild, `Audit: kick, ${reason}, ${own}`)
})
on(Events.GuildRoleCreate, ({ guild, name }) => log(guild, `Role created: ${name}`))
on(Events.GuildRoleDelete, ({ guild, name }) => log(guild, `Role deleted: ${name}`))
on(Events.ChannelCreate, ({ guild, name }) => log(guild, `Channel created: ${name}`))
on(Events.ChannelUpdate, async (before, after) => {
  if (!before.isDMBased() && !after.isDMBased())
    await log(after.guild, `Channel: ${before.name} → ${after.name}`)
})
on(Events.ChannelDelete, async channel => {
  if (!channel.isDMBased()) await log(channel.guild, `Channel deleted: ${channel.name}`)
})
on(Events.GuildUpdate, (before, after) => log(after, `Server: ${before.name} → ${after.name}`))
on(Events.GuildCreate, guild => log(guild, `Joined: ${guild.name}`))

await client.login(process.env.BOT_TOKEN)
