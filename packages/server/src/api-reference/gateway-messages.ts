/** A part of the AsyncAPI document. */
interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  enum?: readonly unknown[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  allOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
}

interface Message {
  name: string
  summary?: string
  payload: Schema
  examples: readonly { payload: unknown }[]
}

interface AsyncApi {
  info: { title: string; description: string }
  channels: { gateway: { description: string } }
  operations: Readonly<Record<string, { summary: string; messages: readonly { $ref: string }[] }>>
  components: { messages: Readonly<Record<string, Message>>; schemas: Readonly<Record<string, Schema>> }
}

interface Field {
  path: string
  type: string
  description: string
}

/** What `gateway.eta` shows of the AsyncAPI document: each message once, with the fields of `d`. */
export function listGatewayMessages(document: object) {
  const { info, channels, operations, components } = document as AsyncApi
  const shown = new Set<string>()

  function fieldsOf(schema: Schema = {}): Field[] {
    const { $ref, properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema
    if ($ref !== undefined) return fieldsOf(components.schemas[nameOf($ref)])
    const own = Object.entries(properties).map(([name, member]) => {
      return { path: `d.${name}`, type: typeOf(member), description: member.description ?? '' }
    })
    const all = [...own, ...[...allOf, ...anyOf, ...oneOf].flatMap(fieldsOf)]
    return [...new Map(all.map(field => [field.path, field])).values()]
  }

  const groups = Object.values(operations).map(({ summary, messages }) => ({
    summary,
    messages: messages.flatMap(({ $ref }) => {
      const message = components.messages[nameOf($ref)]
      if (!message || shown.has(message.name)) return []
      shown.add(message.name)
      return { ...message, fields: fieldsOf(message.payload.properties?.d) }
    }),
  }))
  return { info, channel: channels.gateway, groups, names: shown }
}

function typeOf({ $ref, type, enum: values, items, allOf, anyOf, oneOf }: Schema): string {
  const parts = allOf ?? anyOf ?? oneOf
  if ($ref !== undefined) return nameOf($ref)
  if (parts) return parts.map(typeOf).join(' or ')
  if (values) return values.map(value => JSON.stringify(value)).join(' or ')
  return items ? `${typeOf(items)}[]` : [type ?? 'any'].flat().join(' or ')
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}
