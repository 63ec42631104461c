/** Text that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | false | null | undefined | readonly Value[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template of HTML. Every value in it is escaped unless it is `Html` itself. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, i) => part + (i < values.length ? write(values[i]) : '')).join(''))
}

function write(value: Value): string {
  if (value instanceof Html) return value.text
  if (value === undefined || value === null || value === false) return ''
  if (typeof value === 'object') return value.map(write).join('')
  return String(value).replace(/[&<>"']/g, character => entities[character] ?? '')
}

/** `items` with `separator` between them. */
export function join(items: readonly Html[], separator: string | Html): Html {
  return html`${items.map((item, i) => (i === 0 ? item : html`${separator}${item}`))}`
}
