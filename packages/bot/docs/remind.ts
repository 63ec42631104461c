import type { Bot } from '@gatehouse/bot'

/** The reminder is lost if the bot stops: a real bot stores it. */
export function defineRemind(bot: Bot) {
  bot.command(
    {
      name: 'remind',
      description: 'Reminds you',
      options: [{ type: 'integer', name: 'minutes', description: 'When', required: true, min: 1 }],
    },
    async ctx => {
      await ctx.reply(`I will remind you in ${ctx.options.minutes} minutes.`)
      await ctx.wait(ctx.options.minutes * 60_000)
      await ctx.api.sendMessage(ctx.channelId, { content: `<@${ctx.user.id}>, it is time!` })
    },
  )
}
