import type { Bot } from '@gatehouse/bot'

export function defineAnnounce(bot: Bot) {
  bot.command(
    {
      name: 'announce',
      description: 'Posts an announcement',
      defaultMemberPermissions: ['MANAGE_MESSAGES'],
      options: [
        { type: 'channel', name: 'where', description: 'The channel', required: true },
        { type: 'string', name: 'text', description: 'The announcement', required: true },
      ],
      ephemeral: true,
    },
    async ctx => {
      await ctx.api.sendMessage(ctx.options.where, { content: ctx.options.text })
      await ctx.reply('Posted.')
    },
  )
}
