// What the bots of the short story register and send, in Discord's format. The types of the libraries name these
// numbers differently, but agree on them.

// A request that ends with its connection does not end the bot.
process.on('unhandledRejection', console.error)

const chatInput = 1 as const
const stringOption = 3 as const
const component = { row: 1, button: 2, stringSelect: 3, textInput: 4, label: 18 } as const
const buttonStyle = { success: 3, danger: 4, link: 5 } as const
const textStyle = { short: 1, paragraph: 2 } as const

/** An array with a type for each item, as some libraries want it. */
const list = <Items extends unknown[]>(...items: Items): Items => items

const command = (name: string) => ({ type: chatInput, name, description: `The command ${name}` })

const cityName = {
  type: stringOption,
  name: 'name',
  description: 'Where',
  required: true,
  autocomplete: true as const,
}

export const commands = [
  ...['greet', 'poll', 'choose', 'feedback'].map(command),
  { ...command('city'), options: [cityName] },
]
export const serverCommands = [command('rules')]

export function citiesFor(typed: string): { name: string; value: string }[] {
  const found = ['Paris', 'Prague', 'Rome'].filter(name => name.toLowerCase().startsWith(typed.toLowerCase()))
  return found.map(name => ({ name, value: name }))
}

const yes = { custom_id: 'yes', label: 'Yes', style: buttonStyle.success, emoji: { name: '👍' } }
const no = { custom_id: 'no', label: 'No', style: buttonStyle.danger }
const rules = { url: 'https://poll.example/', label: 'Rules', style: buttonStyle.link }

export const pollRow = {
  type: component.row,
  components: list(
    { type: component.button, ...yes },
    { type: component.button, ...no },
    { type: component.button, ...rules },
  ),
}

const votes = new Map<string, string>()

/** What the poll says after this vote. */
export function vote(username: string, choice: string): string {
  votes.set(username, choice)
  return `Votes: ${[...votes].join()}`
}

const colors = {
  type: component.stringSelect,
  custom_id: 'colors',
  placeholder: 'Colors',
  max_values: 2,
  options: [
    { label: 'Red', value: 'r', description: 'Like a rose' },
    { label: 'Blue', value: 'b', default: true },
    { label: 'Green', value: 'g' },
  ],
}

export const colorRow = { type: component.row, components: list(colors) }

const text = { type: component.textInput, custom_id: 'text', style: textStyle.paragraph }
const from = { type: component.textInput, custom_id: 'from', style: textStyle.short, required: false }

export const feedbackModal = {
  custom_id: 'feedback',
  title: 'Feedback',
  components: [
    { type: component.label, label: 'Text', component: text },
    { type: component.label, label: 'From', component: from },
  ],
}

/** As before Discord had labels. */
export const feedbackModalOfRows = {
  custom_id: 'feedback',
  title: 'Feedback',
  components: [
    { type: component.row, components: list({ ...text, label: 'Text' }) },
    { type: component.row, components: list({ ...from, label: 'From' }) },
  ],
}
