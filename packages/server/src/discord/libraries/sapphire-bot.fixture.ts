// The bot of the short story with sapphire, whose commands, listeners and handlers of interactions are pieces.
import {
  type ApplicationCommandRegistry,
  type Args,
  Command,
  container,
  Events,
  InteractionHandler,
  InteractionHandlerTypes,
  Listener,
  SapphireClient,
} from '@sapphire/framework'
import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type ClientEvents,
  GatewayIntentBits,
  type Guild,
  type Message,
  MessageFlags,
  type ModalSubmitInteraction,
  Partials,
  PermissionFlagsBits,
  type StringSelectMenuInteraction,
} from 'discord.js'
import * as definitions from './short-bot-definitions.ts'

const client = new SapphireClient({
  intents: [
    GatewayIntentBits.Guilds,
    GatewayIntentBits.GuildModeration,
    GatewayIntentBits.GuildMessages,
    GatewayIntentBits.DirectMessages,
    GatewayIntentBits.MessageContent,
  ],
  partials: [Partials.Channel],
  baseUserDirectory: null,
  defaultPrefix: '!',
  loadMessageCommandListeners: true,
  rest: { api: process.env.API_URL ?? 'https://discord.com/api' },
})

async function log(guild: Guild, text: string): Promise<void> {
  const channel = guild.channels.cache.find(({ name }) => name === 'bot-log')
  if (channel?.isTextBased()) await channel.send(text)
}

function chatCommand(
  name: string,
  run: (interaction: ChatInputCommandInteraction<'cached'>) => Promise<unknown>,
): Promise<void> {
  const definition = definitions.commands.find(each => each.name === name)
  class ChatCommand extends Command {
    override registerApplicationCommands(registry: ApplicationCommandRegistry): void {
      if (definition) registry.registerChatInputCommand(definition)
    }
    override async chatInputRun(interaction: ChatInputCommandInteraction): Promise<void> {
      if (interaction.inCachedGuild()) await run(interaction)
    }
    override async autocompleteRun(interaction: AutocompleteInteraction): Promise<void> {
      await interaction.respond(definitions.citiesFor(interaction.options.getFocused()))
    }
  }
  return container.stores.loadPiece({ store: 'commands', name, piece: ChatCommand })
}

await chatCommand('greet', interaction => interaction.reply(`Hello, ${interaction.member.displayName}!`))
await chatCommand('rules', interaction => interaction.reply('Be kind.'))
await chatCommand('poll', interaction =>
  interaction.reply({ content: 'Poll', components: [definitions.pollRow] }),
)
await chatCommand('choose', interaction =>
  interaction.reply({ content: 'Choose', components: [definitions.colorRow] }),
)
await chatCommand('feedback', interaction => interaction.showModal(definitions.feedbackModal))
await chatCommand('city', interaction =>
  interaction.reply(`Off to ${interaction.options.getString('name', true)}`),
)

function handler<Interaction>(
  type: InteractionHandlerTypes,
  run: (interaction: Interaction) => Promise<unknown>,
): Promise<void> {
  class Handler extends InteractionHandler {
    constructor(context: InteractionHandler.LoaderContext) {
      super(context, { interactionHandlerType: type })
    }
    override parse() {
      return this.some()
    }
    override run(interaction: unknown): Promise<unknown> {
      return run(interaction as Interaction)
    }
  }
  return container.stores.loadPiece({
    store: 'interaction-handlers',
    name: `handler-${type}`,
    piece: Handler,
  })
}

await handler<ButtonInteraction>(InteractionHandlerTypes.Button, async press => {
  const content = definitions.vote(press.user.username, press.customId)
  if (press.customId === 'yes') return press.update(content)
  await press.deferUpdate()
  await press.editReply({ content, components: [] })
  return press.followUp({ content: 'The poll has ended', flags: MessageFlags.Ephemeral })
})
await handler<StringSelectMenuInteraction>(InteractionHandlerTypes.SelectMenu, use =>
  use.update({ content: `You chose ${use.values}`, components: [] }),
)
await handler<ModalSubmitInteraction>(InteractionHandlerTypes.ModalSubmit, submit => {
  const [text, from] = ['text', 'from'].map(name => submit.fields.getTextInputValue(name))
  return submit.reply(`Thanks: ${text} from ${from || '?'}`)
})

function messageCommand(
  name: string,
  run: (message: Message<true>, args: Args) => Promise<unknown>,
): Promise<void> {
  class MessageCommand extends Command {
    override async messageRun(message: Message, args: Args): Promise<void> {
      if (message.inGuild()) await run(message, args)
    }
  }
  return container.stores.loadPiece({ store: 'commands', name, piece: MessageCommand })
}

await messageCommand('ping', message => message.reply('Pong!'))
await messageCommand('dm', message => message.author.send('Hello in private'))
await messageCommand('channel', async ({ author, channel, guild }, args) => {
  const created = await guild.channels.create({
    name: await args.pick('string'),
    type: ChannelType.GuildText,
    topic: 'For two',
    permissionOverwrites: [
      { id: guild.id, deny: [PermissionFlagsBits.ViewChannel] },
      { id: author.id, allow: [PermissionFlagsBits.ViewChannel] },
      { id: guild.client.user.id, allow: [PermissionFlagsBits.ViewChannel] },
    ],
  })
  const edited = await created.edit({ topic: 'For three', rateLimitPerUser: 5 })
  await edited.permissionOverwrites.edit(author.id, { SendMessages: false })
  const visible = edited.permissionsFor(guild.roles.everyone).has(PermissionFlagsBits.ViewChannel)
  await channel.send(`Channel: ${edited.name} ${edited.topic} ${edited.rateLimitPerUser} ${visible}`)
})
await messageCommand('unchannel', async (_, args) => (await args.pick('guildTextChannel')).delete())
await messageCommand('ban', async ({ guild }, args) =>
  guild.members.ban(await args.pick('user'), { reason: await args.rest('string') }),
)
await messageCommand('audit', async ({ channel, guild }) => {
  const { entries } = await guild.fetchAuditLogs()
  const first = entries.first()
  const types = entries.map(({ action }) => action)
  await channel.send(`Audit: ${first?.reason} by ${first?.executor?.username}: ${types}`)
})

function listener<Name extends keyof ClientEvents & string>(
  event: Name,
  run: (...parameters: ClientEvents[Name]) => unknown,
): Promise<void> {
  class BotListener extends Listener<Name> {
    constructor(context: Listener.LoaderContext) {
      super(context, { event })
    }
    override run(...parameters: ClientEvents[Name]): unknown {
      return run(...parameters)
    }
  }
  return container.stores.loadPiece({ store: 'listeners', name: `bot-${event}`, piece: BotListener })
}

await listener(Events.ApplicationCommandRegistriesRegistered, async () => {
  for (const guild of client.guilds.cache.values()) {
    await guild.commands.set(definitions.serverCommands)
    const names = guild.channels.cache.map(({ name }) => name).sort()
    await log(guild, `Ready: ${client.user?.username} ${names} ${guild.memberCount}`)
  }
})
await listener(Events.ShardResume, async () => {
  for (const guild of client.guilds.cache.values()) await log(guild, 'Resumed')
})
await listener(Events.MessageCreate, async ({ author, channel, content }) => {
  if (!author.bot && channel.isDMBased() && channel.isSendable()) await channel.send(`You said: ${content}`)
})
await listener(Events.GuildBanAdd, ({ guild, user }) => log(guild, `Banned: ${user.username}`))
await listener(Events.ChannelCreate, ({ guild, name }) => log(guild, `Channel created: ${name}`))
await listener(Events.ChannelUpdate, async (before, after) => {
  if (!before.isDMBased() && !after.isDMBased())
    await log(after.guild, `Channel: ${before.name} → ${after.name}`)
})
await listener(Events.ChannelDelete, async channel => {
  if (!channel.isDMBased()) await log(channel.guild, `Channel deleted: ${channel.name}`)
})

await client.login(process.env.BOT_TOKEN)
