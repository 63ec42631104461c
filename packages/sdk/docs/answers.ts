import type { Bot } from '@gatehouse/bot'

/** `search` may take its time, and should give up when the signal says so. */
export function defineSearch(bot: Bot, search: (text: string, signal: AbortSignal) => Promise<string[]>) {
  bot.command(
    {
      name: 'search',
      description: 'Search the archive',
      options: [{ type: 'string', name: 'text', description: 'What for', required: true }],
      // Only the person who asked sees the answers.
      ephemeral: true,
    },
    async ctx => {
      const found = await search(ctx.options.text, ctx.signal)
      await ctx.reply({
        embeds: [{ title: `${found.length} found`, description: found.slice(0, 10).join('\n') }],
      })
      if (found.length > 10) await ctx.followUp(`… and ${found.length - 10} more`)
    },
  )
}
