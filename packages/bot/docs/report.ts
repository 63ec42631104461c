import { type Bot, customId, modal, row, stringSelect, textInput } from '@gatehouse/bot'

const details = modal(
  'report:{subject}',
  'Report',
  textInput('title', 'What happened?', { minLength: 5, maxLength: 100 }),
  textInput('steps', 'How can we see it?', { style: 'paragraph', required: false }),
)

/** `/report` asks for a subject with a menu, and for the rest with a modal. */
export function defineReport(bot: Bot, save: (report: string) => Promise<void>) {
  bot.command({ name: 'report', description: 'Report a problem', ephemeral: true }, async ctx => {
    const menu = stringSelect('report-subject', ['Website', 'Payment'], { placeholder: 'Subject' })
    await ctx.reply({ content: 'What is it about?', components: [row(menu)] })
  })

  bot.select('report-subject', async ctx => {
    const [subject = ''] = ctx.values
    await ctx.showModal({ ...details, customId: customId(details.customId, { subject }) })
  })

  bot.modal(details, async ctx => {
    await save(`${ctx.params.subject}: ${ctx.fields.title}\n${ctx.fields.steps}`)
    await ctx.update({ content: 'Thank you!', components: [] })
  })
}
