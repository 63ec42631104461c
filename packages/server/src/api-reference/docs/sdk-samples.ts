/** The calls of `@gatehouse/bot` for operations, by operation id. A test compiles them and compares the ids with the document. */

interface SdkCall {
  /** What the call is made with. */
  with: 'bot' | 'command' | 'webhook'
  /** Variables of the environment. */
  variables?: readonly string[]
  code: string
}

const calls: Readonly<Record<string, SdkCall>> = {
  getGateway: { with: 'bot', code: 'console.log(await bot.api.gatewayUrl())' },
  createMessage: {
    with: 'bot',
    variables: ['CHANNEL_ID'],
    code: "const message = await bot.api.sendMessage(CHANNEL_ID, 'Hello!')",
  },
  updateMessage: {
    with: 'bot',
    variables: ['CHANNEL_ID', 'MESSAGE_ID'],
    code: "const message = await bot.api.editMessage(CHANNEL_ID, MESSAGE_ID, 'Hello again!')",
  },
  deleteMessage: {
    with: 'bot',
    variables: ['CHANNEL_ID', 'MESSAGE_ID'],
    code: 'await bot.api.deleteMessage(CHANNEL_ID, MESSAGE_ID)',
  },
  openDirectMessage: {
    with: 'bot',
    variables: ['USER_ID'],
    code: "const channel = await bot.api.openDirectMessage(USER_ID)\nawait bot.api.sendMessage(channel.id, 'Hello!')",
  },
  listCommands: { with: 'bot', code: 'const commands = await bot.api.commands()' },
  listServerCommands: {
    with: 'bot',
    variables: ['SERVER_ID'],
    code: 'const commands = await bot.api.commands(SERVER_ID)',
  },
  replaceCommands: {
    with: 'command',
    code: "await ctx.reply('Hello!')",
  },
  replaceServerCommands: {
    with: 'bot',
    variables: ['SERVER_ID'],
    code: "const commands = await bot.api.putCommands([{ name: 'greet', description: 'Say hello' }], SERVER_ID)",
  },
  createCallback: { with: 'command', code: "await ctx.reply({ content: 'Hello!', ephemeral: true })" },
  createFollowup: {
    with: 'command',
    code: "await ctx.reply('Working …')\nawait ctx.followUp('Done.')",
  },
  updateFollowup: {
    with: 'command',
    code: "await ctx.reply('Working …')\nconst message = await ctx.followUp('Half done.')\nawait ctx.edit('Done.', message.id)",
  },
  deleteFollowup: {
    with: 'command',
    code: "await ctx.reply('Working …')\nconst message = await ctx.followUp('Half done.')\nawait ctx.deleteReply(message.id)",
  },
  updateOriginalResponse: {
    with: 'command',
    code: "await ctx.reply('Working …')\nawait ctx.edit('Done.')",
  },
  deleteOriginalResponse: {
    with: 'command',
    code: "await ctx.reply('Working …')\nawait ctx.deleteReply()",
  },
  executeWebhook: {
    with: 'webhook',
    code: "const message = await webhook.send({ username: 'Build', content: 'All green' })",
  },
  getWebhookMessage: {
    with: 'webhook',
    variables: ['MESSAGE_ID'],
    code: 'const message = await webhook.get(MESSAGE_ID)',
  },
  updateWebhookMessage: {
    with: 'webhook',
    variables: ['MESSAGE_ID'],
    code: "const message = await webhook.edit(MESSAGE_ID, 'All green again')",
  },
  deleteWebhookMessage: {
    with: 'webhook',
    variables: ['MESSAGE_ID'],
    code: 'await webhook.delete(MESSAGE_ID)',
  },
}

export const sdkOperations = Object.keys(calls)

/** The sample for an operation, undefined if the SDK has no call for it. */
export function writeSdkSample(operationId: string, baseUrl: string): string | undefined {
  const call = calls[operationId]
  if (!call) return undefined
  const variables = [
    ...(call.with === 'webhook' ? ['WEBHOOK_URL'] : ['BOT_TOKEN']),
    ...(call.variables ?? []),
  ]
  const lines = [
    `import { ${call.with === 'webhook' ? 'createWebhook' : 'createBot'} } from '@gatehouse/bot'`,
    '',
    `const { ${variables.map(name => `${name} = ''`).join(', ')} } = process.env`,
    call.with === 'webhook'
      ? 'const webhook = createWebhook(WEBHOOK_URL)'
      : `const bot = createBot({ url: '${baseUrl}', token: BOT_TOKEN })`,
    '',
  ]
  if (call.with !== 'command') return [...lines, call.code].join('\n')
  return [
    ...lines,
    "bot.command({ name: 'greet', description: 'Say hello' }, async ctx => {",
    ...call.code.split('\n').map(line => `  ${line}`),
    '})',
    'await bot.sync()',
    'await bot.start()',
  ].join('\n')
}
