// The application commands of the bot.
import {
  ActionRowBuilder,
  ApplicationCommandType,
  type AutocompleteInteraction,
  ButtonBuilder,
  ButtonStyle,
  ChannelSelectMenuBuilder,
  ChannelType,
  type ChatInputCommandInteraction,
  type CommandInteraction,
  ComponentType,
  ContextMenuCommandBuilder,
  DiscordAPIError,
  type Guild,
  LabelBuilder,
  MentionableSelectMenuBuilder,
  type MessageActionRowComponentBuilder,
  MessageFlags,
  ModalBuilder,
  PermissionFlagsBits,
  RoleSelectMenuBuilder,
  Routes,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
} from 'discord.js'

const command = (name: string) =>
  new SlashCommandBuilder().setName(name).setDescription(`The command ${name}`)

const everything = command('everything')
  .addStringOption(option =>
    option
      .setName('color')
      .setDescription('One of two')
      .setRequired(true)
      .addChoices({ name: 'Red', value: 'r' }, { name: 'Blue', value: 'b' }),
  )
  .addIntegerOption(option =>
    option.setName('count').setDescription('How many').setMinValue(1).setMaxValue(9),
  )
  .addNumberOption(option => option.setName('ratio').setDescription('A number'))
  .addBooleanOption(option => option.setName('loud').setDescription('Yes or no'))
  .addUserOption(option => option.setName('user').setDescription('A user'))
  .addChannelOption(option =>
    option.setName('channel').setDescription('A channel').addChannelTypes(ChannelType.GuildText),
  )
  .addRoleOption(option => option.setName('role').setDescription('A role'))
  .addMentionableOption(option => option.setName('whom').setDescription('A user or a role'))

const settings = command('settings')
  .addSubcommand(sub => sub.setName('show').setDescription('Shows them'))
  .addSubcommandGroup(group =>
    group
      .setName('color')
      .setDescription('The color')
      .addSubcommand(sub =>
        sub
          .setName('set')
          .setDescription('Changes it')
          .addStringOption(option => option.setName('value').setDescription('The color').setRequired(true)),
      ),
  )

const moderate = command('moderate').setDefaultMemberPermissions(PermissionFlagsBits.ModerateMembers)
for (const act of ['timeout', 'release', 'kick', 'ban', 'unban'])
  moderate.addSubcommand(sub =>
    sub
      .setName(act)
      .setDescription(`The act ${act}`)
      .addStringOption(option =>
        option.setName('user').setDescription('The id of the user').setRequired(true),
      )
      .addStringOption(option => option.setName('reason').setDescription('Why')),
  )

export const commands = [
  ...['greet', 'secret', 'report', 'vanish', 'poll', 'choose', 'pick', 'feedback', 'server', 'errors'].map(
    command,
  ),
  command('city').addStringOption(option =>
    option.setName('name').setDescription('Where').setRequired(true).setAutocomplete(true),
  ),
  everything,
  settings,
  moderate,
  new ContextMenuCommandBuilder().setName('Show profile').setType(ApplicationCommandType.User),
  new ContextMenuCommandBuilder().setName('Quote').setType(ApplicationCommandType.Message),
]
export const serverCommands = [command('rules')]

export async function autocompleteCity(interaction: AutocompleteInteraction): Promise<void> {
  const typed = interaction.options.getFocused().toLowerCase()
  const found = ['Paris', 'Prague', 'Rome'].filter(name => name.toLowerCase().startsWith(typed))
  await interaction.respond(found.map(name => ({ name, value: name })))
}

const row = (...components: MessageActionRowComponentBuilder[]) =>
  new ActionRowBuilder<MessageActionRowComponentBuilder>().addComponents(components)

const codeOf = (error: unknown) => (error instanceof DiscordAPIError ? error.code : String(error))
const namesOf = (things: Iterable<{ name: string }>) => Array.from(things, ({ name }) => name).join()

type Handler = (interaction: ChatInputCommandInteraction<'cached'>) => Promise<unknown>

const handlers: Record<string, Handler> = {
  rules: interaction => interaction.reply('Be kind.'),
  greet: interaction => interaction.reply(`Hello, ${interaction.member.displayName}!`),
  secret: interaction => interaction.reply({ content: 'A secret', flags: MessageFlags.Ephemeral }),
  async report(interaction) {
    await interaction.deferReply()
    await interaction.editReply('Report, page 1')
    const second = await interaction.followUp('Report, page 2')
    await interaction.followUp({ content: 'Only for you', flags: MessageFlags.Ephemeral })
    const first = await interaction.fetchReply()
    await interaction.editReply(`${first.content} of 2`)
    await second.edit('Report, the end')
  },
  async vanish(interaction) {
    await interaction.reply('Soon gone')
    await interaction.deleteReply()
    await interaction.followUp('It is gone')
  },
  async poll(interaction) {
    const buttons = row(
      new ButtonBuilder().setCustomId('yes').setLabel('Yes').setStyle(ButtonStyle.Success).setEmoji('👍'),
      new ButtonBuilder().setCustomId('no').setLabel('No').setStyle(ButtonStyle.Danger),
      new ButtonBuilder().setURL('https://poll.example/').setLabel('Rules').setStyle(ButtonStyle.Link),
    )
    const { resource } = await interaction.reply({
      content: 'Poll',
      components: [buttons],
      withResponse: true,
    })
    const collector = resource?.message?.createMessageComponentCollector({
      componentType: ComponentType.Button,
    })
    const votes = new Map<string, string>()
    collector?.on('collect', async press => {
      votes.set(press.user.username, press.customId)
      if (press.customId === 'yes') return press.update(`Votes: ${[...votes].join()}`)
      await press.deferUpdate()
      await press.editReply({ content: `Votes: ${[...votes].join()}`, components: [] })
      await press.followUp({ content: 'The poll has ended', flags: MessageFlags.Ephemeral })
      collector.stop()
    })
  },
  async choose(interaction) {
    const menu = new StringSelectMenuBuilder()
      .setCustomId('colors')
      .setPlaceholder('Colors')
      .setMinValues(1)
      .setMaxValues(2)
      .addOptions(
        { label: 'Red', value: 'r', description: 'Like a rose' },
        { label: 'Blue', value: 'b', default: true },
        { label: 'Green', value: 'g' },
      )
    const { resource } = await interaction.reply({
      content: 'Choose',
      components: [row(menu)],
      withResponse: true,
    })
    const choice = await resource?.message?.awaitMessageComponent({
      componentType: ComponentType.StringSelect,
    })
    await choice?.update({ content: `You chose ${choice.values.join()}`, components: [] })
  },
  async pick(interaction) {
    const menus = [
      row(
        new UserSelectMenuBuilder().setCustomId('users').setMaxValues(2).setDefaultUsers(interaction.user.id),
      ),
      row(new RoleSelectMenuBuilder().setCustomId('roles')),
      row(new ChannelSelectMenuBuilder().setCustomId('channels')),
      row(new MentionableSelectMenuBuilder().setCustomId('both').setMaxValues(2)),
    ]
    const { resource } = await interaction.reply({ content: 'Pick', components: menus, withResponse: true })
    const collector = resource?.message?.createMessageComponentCollector()
    collector?.on('collect', async use => {
      if (use.isUserSelectMenu()) {
        const members = use.members.map(member => member.displayName)
        await use.reply(`Users: ${use.users.map(({ username }) => username)} as ${members}`)
      } else if (use.isRoleSelectMenu()) await use.reply(`Roles: ${namesOf(use.roles.values())}`)
      else if (use.isMentionableSelectMenu()) {
        const users = use.users.map(({ username }) => username)
        await use.reply(`Users: ${users}, roles: ${namesOf(use.roles.values())}`)
      } else if (use.isChannelSelectMenu())
        await use.reply(`Channels: ${use.channels.map(channel => 'name' in channel && channel.name)}`)
    })
  },
  async feedback(interaction) {
    const texts = new ActionRowBuilder<TextInputBuilder>().addComponents(
      new TextInputBuilder().setCustomId('text').setLabel('Text').setStyle(TextInputStyle.Paragraph),
    )
    const from = new LabelBuilder()
      .setLabel('From')
      .setTextInputComponent(
        new TextInputBuilder().setCustomId('from').setStyle(TextInputStyle.Short).setRequired(false),
      )
    await interaction.showModal(
      new ModalBuilder()
        .setCustomId('feedback')
        .setTitle('Feedback')
        .addComponents(texts)
        .addLabelComponents(from),
    )
    const submit = await interaction.awaitModalSubmit({ time: 600_000 })
    const { fields } = submit
    await submit.reply(
      `Thanks: ${fields.getTextInputValue('text')} from ${fields.getTextInputValue('from') || '?'}`,
    )
  },
  city: interaction => interaction.reply(`Off to ${interaction.options.getString('name', true)}`),
  async everything(interaction) {
    const { options } = interaction
    const whom = options.getMentionable('whom')
    const values = {
      color: options.getString('color', true),
      count: options.getInteger('count'),
      ratio: options.getNumber('ratio'),
      loud: options.getBoolean('loud'),
      user: options.getUser('user')?.username,
      member: options.getMember('user')?.displayName,
      channel: options.getChannel('channel')?.name,
      role: options.getRole('role')?.name,
      whom: whom && ('name' in whom ? whom.name : whom.toString()),
    }
    await interaction.reply({
      content: Object.entries(values)
        .map(([name, value]) => `${name}=${value ?? '-'}`)
        .join(' '),
      allowedMentions: { parse: [] },
    })
  },
  async settings(interaction) {
    const { options } = interaction
    const path = [options.getSubcommandGroup(), options.getSubcommand()].filter(name => name !== null)
    await interaction.reply(`Settings: ${path.join(' ')} ${options.getString('value') ?? '-'}`)
  },
  async server(interaction) {
    const guild: Guild = await interaction.guild.fetch()
    const members = await guild.members.fetch()
    const owner = await guild.fetchOwner()
    const names = members.map(({ user }) => user.username).sort()
    const found = await guild.members.fetch({ query: 'b', limit: 5 })
    const matches = found.map(({ user }) => user.username)
    await interaction.reply(
      `${guild.name} of ${owner.user.username}: ${guild.memberCount}, ${names}; ${matches}`,
    )
  },
  async moderate(interaction) {
    const { guild, options } = interaction
    const id = options.getString('user', true)
    const reason = options.getString('reason') ?? undefined
    await interaction.deferReply({ flags: MessageFlags.Ephemeral })
    try {
      const act = options.getSubcommand()
      if (act === 'ban') await guild.members.ban(id, { ...(reason && { reason }) })
      else if (act === 'unban') await guild.members.unban(id, reason)
      else {
        const member = await guild.members.fetch(id)
        if (act === 'kick') await member.kick(reason)
        else await member.timeout(act === 'timeout' ? 600_000 : null, reason)
      }
      await interaction.editReply(`Done: ${act}`)
    } catch (error) {
      await interaction.editReply(`Failed: ${codeOf(error)}`)
    }
  },
  async errors(interaction) {
    await interaction.reply('Errors')
    const { id, token, channel, client } = interaction
    const requests = [
      channel?.messages.fetch('1'),
      interaction.guild.members.kick(interaction.guild.ownerId),
      client.channels.fetch('1'),
      interaction.guild.members.fetch('1'),
      // Another process of the bot does not know that this one has responded.
      client.rest.post(Routes.interactionCallback(id, token), {
        body: { type: 4, data: { content: 'again' } },
        auth: false,
      }),
      interaction.editReply('x'.repeat(2001)),
    ]
    const results = await Promise.allSettled(requests)
    const codes = results.map(result => (result.status === 'rejected' ? codeOf(result.reason) : 'none'))
    await interaction.followUp(`Errors: ${codes}`)
  },
}

export async function handleCommand(interaction: CommandInteraction): Promise<void> {
  if (!interaction.inCachedGuild()) return
  if (interaction.isChatInputCommand()) await handlers[interaction.commandName]?.(interaction)
  else if (interaction.isUserContextMenuCommand()) {
    const { targetUser, targetMember } = interaction
    await interaction.reply(`Profile: ${targetUser.username}, ${targetMember?.displayName}`)
  } else if (interaction.isMessageContextMenuCommand()) {
    const { author, content } = interaction.targetMessage
    await interaction.reply(`Quote: ${content} (${author.username})`)
  }
}
