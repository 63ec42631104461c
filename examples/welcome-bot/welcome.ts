import {
  ApiError,
  type Bot,
  type BotApi,
  type BotOptions,
  button,
  createBot,
  customId,
  type Reply,
  row,
  stringSelect,
} from '@gatehouse/bot'

const roleButtonId = 'role:{roleId}'

/** The roles that an administrator offers. */
const offered = [
  { type: 'role', name: 'first', description: 'A role to offer', required: true },
  { type: 'role', name: 'second', description: 'Another role' },
  { type: 'role', name: 'third', description: 'Another role' },
] as const

/** A bot that greets new members in the channel with this name, and gives roles by buttons and by a select menu. */
export function createWelcomeBot(options: BotOptions, channelName: string): Bot {
  const bot = createBot({ ...options, intents: ['members'] })
  greetNewMembers(bot, channelName)
  offerRoleButtons(bot)
  offerRoleMenu(bot)
  return bot
}

function greetNewMembers(bot: Bot, channelName: string) {
  bot.on('memberAdd', async ({ serverId, user }, { api }) => {
    if (user.bot) return
    const channels = await api.channels.list(serverId)
    const channel = channels.find(({ name }) => name === channelName)
    if (channel) await api.messages.create(channel.id, { content: `👋 Welcome, <@${user.id}>!` })
  })
}

/** Each button has the id of its role in its customId, so it works after a restart of the bot too. */
function offerRoleButtons(bot: Bot) {
  bot.command(
    {
      name: 'role-buttons',
      description: 'Posts a button for each role, which adds and removes it',
      // Otherwise members could offer each other any role that the bot may give.
      defaultMemberPermissions: ['MANAGE_ROLES'],
      options: offered,
    },
    async ctx => {
      const roles = await findRoles(ctx.api, ctx.serverId, Object.values(ctx.options))
      const buttons = roles.map(({ id, name }) => button(customId(roleButtonId, { roleId: id }), name))
      await ctx.reply({ content: 'Choose your roles:', components: [row(...buttons)] })
    },
  )

  bot.button(roleButtonId, async ctx => {
    const { api, serverId, user, params } = ctx
    if (serverId === null) return
    const { roles } = await api.members.get(serverId, user.id)
    const hasRole = roles.includes(params.roleId)
    await ctx.reply(
      await explainRefusal(async () => {
        if (hasRole) await api.members.removeRole(serverId, user.id, params.roleId)
        else await api.members.addRole(serverId, user.id, params.roleId)
        return `${hasRole ? 'Removed' : 'Added'}: <@&${params.roleId}>`
      }),
    )
  })
}

/** In the menu, members select all of their roles at once. */
function offerRoleMenu(bot: Bot) {
  bot.command(
    {
      name: 'role-menu',
      description: 'Posts a menu with the roles, of which members select theirs',
      defaultMemberPermissions: ['MANAGE_ROLES'],
      options: offered,
    },
    async ctx => {
      const roles = await findRoles(ctx.api, ctx.serverId, Object.values(ctx.options))
      const menu = stringSelect(
        'roles',
        roles.map(({ id, name }) => ({ label: name, value: id })),
        { placeholder: 'Your roles', minValues: 0, maxValues: roles.length },
      )
      await ctx.reply({ content: 'Select your roles:', components: [row(menu)] })
    },
  )

  bot.select('roles', async ctx => {
    const { api, serverId, user, values } = ctx
    if (serverId === null) return
    // The menu in the message has all roles that it offers.
    const menus = ctx.message.components.flatMap(({ components }) => components)
    const ids = menus.flatMap(menu =>
      menu.type === 'string_select' ? menu.options.map(({ value }) => value) : [],
    )
    const { roles } = await api.members.get(serverId, user.id)
    await ctx.reply(
      await explainRefusal(async () => {
        for (const id of ids) {
          if (values.includes(id) && !roles.includes(id)) await api.members.addRole(serverId, user.id, id)
          if (!values.includes(id) && roles.includes(id)) await api.members.removeRole(serverId, user.id, id)
        }
        const list = values.map(id => `<@&${id}>`).join(', ')
        return `Your roles: ${list || 'none of these'}`
      }),
    )
  })
}

async function findRoles(api: BotApi, serverId: string, ids: readonly (string | undefined)[]) {
  return (await api.roles.list(serverId)).filter(({ id }) => ids.includes(id))
}

/** The text of a change of roles, for its user only. */
async function explainRefusal(change: () => Promise<string>): Promise<Reply> {
  try {
    return { content: await change(), ephemeral: true }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error
    // The bot may only give roles that are not above its own one.
    return { content: `I may not change this role: ${error.reason}`, ephemeral: true }
  }
}
