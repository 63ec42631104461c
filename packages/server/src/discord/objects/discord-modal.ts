import { translated } from '@gatehouse/protocol/component-members'
import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import { invalid } from '../../errors/app-error.ts'
import {
  createIdReader,
  labelType,
  mapList,
  rowType,
  textInputType,
  unsupported,
} from './discord-components.ts'

const inputStyles = { 1: 'short', 2: 'paragraph' } as const

/** `data` of the response that opens a modal. A field may also be in a label, the newer form of Discord's API. */
export function fromDiscordModal(given: unknown, path: string): unknown {
  if (!isJsonObject(given)) return given
  const { custom_id: customId, title } = given
  const readId = createIdReader()
  const toField = (field: JsonObject, fieldPath: string) => ({
    ...fromDiscordTextInput(field, fieldPath),
    [translated]: readId(field, fieldPath),
  })
  const components = mapList(given.components, `${path}.components`, (row, rowPath) => {
    const ids = readId(row, rowPath)
    if (row.type === labelType) {
      const { label, description, component } = row
      const fieldPath = `${rowPath}.component`
      if (!isJsonObject(component)) throw invalid(fieldPath, 'required', 'must be a text input (4)')
      const field = toField({ ...component, label, description }, fieldPath)
      return { type: 'row', [translated]: { ...ids, isLabel: true }, components: [field] }
    }
    if (row.type !== rowType) throw unsupported(rowPath, 'rows (1) and labels (18) with a text input')
    const fields = mapList(
      row.components,
      `${rowPath}.components`,
      ({ description: _, ...field }, fieldPath) => toField(field, fieldPath),
    )
    return { type: 'row', [translated]: ids, components: fields }
  })
  return { customId, title, components }
}

/** The path of an error in a modal of our API: what is in a label has another one. */
export function toModalPath(path: string, data: unknown): string {
  const [, start = '', index = '', member = ''] =
    /^(data\.components\[(\d+)\])\.components\[0\]\.(.*)$/.exec(path) ?? []
  const rows = isJsonObject(data) && Array.isArray(data.components) ? data.components : []
  const row: unknown = rows[Number(index)]
  if (start === '' || !isJsonObject(row) || row.type !== labelType) return path
  return `${start}.${member === 'label' || member === 'description' ? '' : 'component.'}${member}`
}

function fromDiscordTextInput(given: JsonObject, path: string): object {
  if (given.type !== textInputType) throw unsupported(path, 'text inputs (4)')
  const { custom_id, style, label, description, placeholder, min_length, max_length, required, value } = given
  return {
    type: 'text_input',
    customId: custom_id,
    style: style === 1 || style === 2 ? inputStyles[style] : style,
    label,
    description,
    placeholder,
    minLength: min_length,
    maxLength: max_length,
    required,
    value,
  }
}
