import { tooLong } from '@gatehouse/protocol/field-errors'
import { maxCustomId } from '@gatehouse/protocol/limits'
import { isLonger } from '@gatehouse/protocol/text'

/** The parameters of a pattern: `vote:{choice}` has the parameter `choice`. */
export type ParamsOf<Pattern extends string> = string extends Pattern
  ? { readonly [name: string]: string }
  : { readonly [Name in NamesIn<Pattern>]: string }

type NamesIn<Pattern extends string> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

const parameter = /\{([^{}]*)\}/g

/**
 * Compiles a pattern to a function that matches a customId. A parameter matches one or more characters except a colon;
 * `customId` escapes colons in values.
 */
export function compilePattern(pattern: string): (customId: string) => Record<string, string> | undefined {
  const names: string[] = []
  let source = ''
  let end = 0
  for (const found of pattern.matchAll(parameter)) {
    const name = found[1] ?? ''
    if (!/^[A-Za-z]\w*$/.test(name))
      throw new TypeError(
        `"${pattern}": "{${name}}" is not a parameter name. Use letters, digits and "_", with a letter first.`,
      )
    if (names.includes(name)) throw new TypeError(`"${pattern}": the parameter "{${name}}" occurs twice.`)
    names.push(name)
    source += `${escapeLiteral(pattern.slice(end, found.index))}([^:]+?)`
    end = found.index + found[0].length
  }
  const expression = new RegExp(`^${source}${escapeLiteral(pattern.slice(end))}$`, 'su')
  return customId => {
    const found = expression.exec(customId)
    return found
      ? Object.fromEntries(names.map((name, index) => [name, decode(found[index + 1] ?? '')]))
      : undefined
  }
}

/** Inserts parameters into a pattern: `customId('vote:{choice}', { choice: 'tea' })` returns `vote:tea`. */
export function customId<Pattern extends string>(
  pattern: Pattern,
  params: { readonly [Name in keyof ParamsOf<Pattern>]: string | number },
): string {
  const values = new Map<string, string | number>(Object.entries(params))
  const id = pattern.replace(parameter, (_, name: string) => {
    const value = String(values.get(name) ?? '')
    if (value === '') throw new TypeError(`"${pattern}" requires a value for {${name}}.`)
    return encode(value)
  })
  if (isLonger(id, maxCustomId)) throw new TypeError(`"customId" ${tooLong(maxCustomId).message}: ${id}`)
  return id
}

function encode(value: string): string {
  return value.replaceAll('%', '%25').replaceAll(':', '%3A')
}

function decode(text: string): string {
  return text.replaceAll('%3A', ':').replaceAll('%25', '%')
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
