import type { Bot } from '@gatehouse/bot'

/** `search` may be slow. It should stop when the signal is aborted. */
export function defineSearch(bot: Bot, search: (text: string, signal: AbortSignal) => Promise<string[]>) {
  bot.command(
    {
      name: 'search',
      description: 'Search the archive',
      options: [{ type: 'string', name: 'text', description: 'The text to find', required: true }],
      // Only the user who ran the command sees the responses.
      ephemeral: true,
    },
    async ctx => {
      const results = await search(ctx.options.text, ctx.signal)
      await ctx.reply({
        embeds: [{ title: `${results.length} found`, description: results.slice(0, 10).join('\n') }],
      })
      if (results.length > 10) await ctx.followUp(`… and ${results.length - 10} more`)
    },
  )
}
