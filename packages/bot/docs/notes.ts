import type { Bot } from '@gatehouse/bot'

/** Each user has notes in memory. */
export function defineNotes(bot: Bot, notes: Map<string, string[]>) {
  bot.command(
    {
      name: 'notes',
      nameLocalizations: { ru: 'заметки' },
      description: 'Your notes',
      options: [
        {
          type: 'subcommand',
          name: 'add',
          description: 'Adds a note',
          options: [
            { type: 'string', name: 'text', description: 'The note', required: true, maxLength: 200 },
          ],
        },
        { type: 'subcommand', name: 'list', description: 'Lists your notes' },
      ],
      ephemeral: true,
    },
    async ctx => {
      const own = notes.get(ctx.user.id) ?? []
      if (ctx.subcommand === 'add') {
        // Only `add` has the option `text`.
        notes.set(ctx.user.id, [...own, ctx.options.text])
        await ctx.reply('Added.')
      } else {
        await ctx.reply(own.join('\n') || 'No notes yet.')
      }
    },
  )
}
