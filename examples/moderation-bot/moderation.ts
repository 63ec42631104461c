import {
  ApiError,
  type Bot,
  type BotApi,
  type BotOptions,
  createBot,
  customId,
  type Embed,
  modal,
  textInput,
} from '@gatehouse/bot'

/** What the bot does to a member, and the permission that a member needs for it. */
const actions = {
  warn: { title: 'Warn', done: 'Warned', permission: 'MODERATE_MEMBERS' },
  timeout: { title: 'Time out', done: 'Timed out', permission: 'MODERATE_MEMBERS' },
  ban: { title: 'Ban', done: 'Banned', permission: 'BAN_MEMBERS' },
} as const

type Action = keyof typeof actions

const defaultMinutes = 60
const reasonId = 'reason:{action}:{userId}:{minutes}'

/**
 * A bot with commands to warn, time out and ban, which asks for the reason and posts a log in the channel with this
 * name.
 */
export function createModerationBot(options: BotOptions, logChannelName: string): Bot {
  const bot = createBot(options)
  defineSlashCommands(bot)
  defineMenuCommands(bot)
  defineReport(bot, logChannelName)
  actOnReason(bot, logChannelName)
  return bot
}

/** The service shows each command only to members with its permission. */
function defineSlashCommands(bot: Bot) {
  const user = { type: 'user', name: 'user', description: 'The member', required: true } as const
  const { warn, timeout, ban } = actions
  bot.command(
    {
      name: 'warn',
      description: 'Warns a member with a direct message',
      defaultMemberPermissions: [warn.permission],
      options: [user],
    },
    ctx => ctx.showModal(askForReason('warn', ctx.options.user)),
  )
  bot.command(
    {
      name: 'timeout',
      description: 'Times out a member',
      defaultMemberPermissions: [timeout.permission],
      options: [
        user,
        { type: 'integer', name: 'minutes', description: 'Default: 60', min: 1, max: 28 * 24 * 60 },
      ],
    },
    ctx => ctx.showModal(askForReason('timeout', ctx.options.user, ctx.options.minutes)),
  )
  bot.command(
    {
      name: 'ban',
      description: 'Bans a member',
      defaultMemberPermissions: [ban.permission],
      options: [user],
    },
    ctx => ctx.showModal(askForReason('ban', ctx.options.user)),
  )
}

/** The same commands in the menu of a member. */
function defineMenuCommands(bot: Bot) {
  for (const action of ['warn', 'timeout', 'ban'] as const) {
    const { title, permission } = actions[action]
    bot.userCommand({ name: title, defaultMemberPermissions: [permission] }, ctx =>
      ctx.showModal(askForReason(action, ctx.target.id)),
    )
  }
}

/** The id of the modal says what happens after it, so it works after a restart of the bot too. */
function askForReason(action: Action, userId: string, minutes = defaultMinutes) {
  return modal(
    customId(reasonId, { action, userId, minutes }),
    actions[action].title,
    textInput('reason', 'Reason', { style: 'paragraph', maxLength: 500 }),
  )
}

function actOnReason(bot: Bot, logChannelName: string) {
  bot.modal(reasonId, async ctx => {
    const { api, serverId, user, fields } = ctx
    const { action, userId, minutes } = ctx.params
    if (serverId === null || !isAction(action)) return
    const reason = fields.reason ?? ''
    // Slow work follows, and only the moderator sees the result.
    await ctx.defer({ ephemeral: true })
    if (!(await isAbove(api, serverId, user.id, userId))) {
      await ctx.reply({ content: 'Your highest role is not above that of this member.', ephemeral: true })
      return
    }
    try {
      if (action === 'warn') await sendWarning(api, userId, reason)
      if (action === 'timeout') {
        // The time of the service, because the clock of this machine may be wrong.
        const end = Date.parse(ctx.event.createdAt) + Number(minutes) * 60_000
        await api.members.update(serverId, userId, { timedOutUntil: new Date(end).toISOString() })
      }
      if (action === 'ban') await api.bans.create(serverId, userId, { reason })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      await ctx.reply({ content: `Not possible: ${error.reason}`, ephemeral: true })
      return
    }
    const title = action === 'timeout' ? `Timed out for ${minutes} minutes` : actions[action].done
    const isLogged = await log(api, serverId, logChannelName, {
      title,
      description: reason,
      fields: [
        { name: 'Member', value: `<@${userId}>`, inline: true },
        { name: 'Moderator', value: `<@${user.id}>`, inline: true },
      ],
    })
    const note = isLogged ? '' : ` There is no channel #${logChannelName} for the log.`
    await ctx.reply({ content: `${title}: <@${userId}>.${note}`, ephemeral: true })
  })
}

/** A command in the menu of a message, for all members. */
function defineReport(bot: Bot, logChannelName: string) {
  bot.messageCommand({ name: 'Report', ephemeral: true }, async ctx => {
    const { author, channelId, content } = ctx.target
    const isLogged = await log(ctx.api, ctx.serverId, logChannelName, {
      title: 'Reported message',
      description: content,
      fields: [
        { name: 'Author', value: `<@${author.id}>`, inline: true },
        { name: 'Channel', value: `<#${channelId}>`, inline: true },
        { name: 'Reported by', value: `<@${ctx.user.id}>`, inline: true },
      ],
    })
    await ctx.reply(isLogged ? 'The moderators see your report.' : 'There is no channel for reports.')
  })
}

function isAction(text: string): text is Action {
  return Object.hasOwn(actions, text)
}

async function sendWarning(api: BotApi, userId: string, reason: string): Promise<void> {
  const { id } = await api.openDirectMessage(userId)
  await api.messages.create(id, { content: `⚠️ You have been warned by the moderators: ${reason}` })
}

/** Returns false if there is no channel with this name. */
async function log(api: BotApi, serverId: string, channelName: string, entry: Embed): Promise<boolean> {
  const channel = (await api.channels.list(serverId)).find(({ name }) => name === channelName)
  if (channel) await api.messages.create(channel.id, { embeds: [entry], allowedMentions: { parse: [] } })
  return channel !== undefined
}

/** The service compares the roles of the bot with those of the member; the roles of the moderator matter too. */
async function isAbove(api: BotApi, serverId: string, userId: string, otherId: string): Promise<boolean> {
  const { ownerId } = await api.servers.get(serverId)
  if (userId === ownerId || otherId === ownerId) return userId === ownerId && otherId !== ownerId
  const positions = new Map((await api.roles.list(serverId)).map(({ id, position }) => [id, position]))
  const [own, others] = await Promise.all(
    [userId, otherId].map(async id => {
      const { roles } = await api.members.get(serverId, id)
      return Math.max(0, ...roles.map(role => positions.get(role) ?? 0))
    }),
  )
  return own !== undefined && others !== undefined && own > others
}
