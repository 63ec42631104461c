import { type Bot, button, row } from '@gatehouse/bot'

/** `reset` deletes the user's data. */
export function defineReset(bot: Bot, reset: (userId: string) => Promise<void>) {
  bot.command({ name: 'reset', description: 'Deletes your data', ephemeral: true }, async ctx => {
    const buttons = row(button('reset-yes', 'Delete', { style: 'danger' }), button('reset-no', 'Cancel'))
    await ctx.reply({ content: 'Delete all your data?', components: [buttons] })
    const press = await ctx.awaitButton({ timeoutMs: 60_000 })
    if (press?.customId !== 'reset-yes') {
      await ctx.edit({ content: 'Nothing was deleted.', components: [] })
      return
    }
    await reset(ctx.user.id)
    await press.update({ content: 'Deleted.', components: [] })
  })
}
