import type { ResponseData } from '@gatehouse/protocol/interactions'
import type { Modal } from '@gatehouse/protocol/modals'

const examples = {
  text: { content: 'Hello! You rolled a **six**.' },
  embed: {
    embeds: [
      {
        title: 'The dice have fallen',
        description: 'Three of them, red.',
        color: 3_901_686,
        fields: [
          { name: 'Sum', value: '14', inline: true },
          { name: 'Highest', value: '6', inline: true },
        ],
      },
    ],
  },
  buttons: {
    content: 'Again?',
    components: [
      {
        type: 'row',
        components: [
          { type: 'button', style: 'primary', label: 'Roll again', customId: 'again' },
          { type: 'button', style: 'secondary', label: 'Enough', customId: 'enough' },
        ],
      },
    ],
  },
  menu: {
    content: 'Which dice?',
    components: [
      {
        type: 'row',
        components: [
          {
            type: 'string_select',
            customId: 'dice',
            placeholder: 'Select a die',
            options: [
              { label: 'Six sides', value: '6' },
              { label: 'Twenty sides', value: '20' },
            ],
          },
        ],
      },
    ],
  },
  modal: {
    customId: 'dice',
    title: 'Your dice',
    components: [
      { type: 'row', components: [{ type: 'text_input', customId: 'name', style: 'short', label: 'Name' }] },
      {
        type: 'row',
        components: [
          { type: 'text_input', customId: 'wish', style: 'paragraph', label: 'Wish', required: false },
        ],
      },
    ],
  },
} satisfies Record<string, ResponseData | Modal>

export type ExampleName = keyof typeof examples
export const exampleNames = [
  'text',
  'embed',
  'buttons',
  'menu',
  'modal',
] as const satisfies readonly ExampleName[]

/** Returns the `data` of an interaction response, as JSON. */
export function exampleResponse(name: ExampleName): string {
  return JSON.stringify(examples[name], null, 2)
}

export const defaultResponse = exampleResponse('text')

/** Whether the user has written something that no button inserts. */
export function isWritten(text: string): boolean {
  return text.trim() !== '' && !exampleNames.some(name => exampleResponse(name) === text)
}

/** Returns undefined if the text is not a JSON object. The service validates the properties. */
export function parseResponse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
