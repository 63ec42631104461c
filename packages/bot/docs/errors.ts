import { ApiError, type Bot, InvalidError, LateError } from '@gatehouse/bot'

export function handleErrors(bot: Bot): void {
  // Runs around every handler that can respond.
  bot.use(async (ctx, next) => {
    const start = performance.now()
    await next()
    console.log(`${ctx.user.username}: ${Math.round(performance.now() - start)} ms`)
  })

  // Receives the errors that handlers throw.
  bot.catch(async (error, ctx) => {
    // The service no longer accepts a response.
    if (error instanceof LateError) return
    if (error instanceof InvalidError) console.error(error.fieldErrors)
    else console.error(error)
    if (ctx.state === 'answered') return
    // `reason` is for users. `message` also has the request, for the log.
    const isRefusal = error instanceof ApiError && error.status === 403
    await ctx.reply({ content: isRefusal ? error.reason : 'Something went wrong.', ephemeral: true })
  })
}
