import { parseArgs } from 'node:util'

/** `value` is the name of the value in the usage. A flag has none. */
interface Input {
  readonly kind: 'argument' | 'option'
  readonly value?: string
  readonly isRequired?: boolean
}
type Inputs = Readonly<Record<string, Input>>

export const argument = (value: string) => ({ kind: 'argument', value, isRequired: true }) as const
export const option = (value: string) => ({ kind: 'option', value, isRequired: true }) as const
export const flag = { kind: 'option' } as const
export const optional = <T extends Input>(input: T) => ({ ...input, isRequired: false }) as const

type Values<T extends Inputs> = {
  [Name in keyof T as T[Name] extends { isRequired: false } ? never : Name]: T[Name] extends { value: string }
    ? string
    : boolean
} & { [Name in keyof T as T[Name] extends { isRequired: false } ? Name : never]?: string }

export interface Command {
  /** What each word of the name may be. */
  words: readonly (readonly string[])[]
  /** A line of the usage. */
  usage: string
  /** Undefined if an argument is missing or one is too many. Throws if an option is missing or unknown. */
  parse(args: readonly string[]): (() => Promise<string | number>) | undefined
}

const flagType = { type: 'boolean', default: false } as const
const textType = { type: 'string' } as const

/**
 * The name `user promote|demote` is two commands. `run` gets the words of the name, too, and resolves to the text that
 * is printed, or to the exit code.
 */
export function command<T extends Inputs>(
  name: string,
  inputs: T,
  help: string,
  run: (values: Values<T>, words: readonly string[]) => Promise<string | number>,
): Command {
  const words = name.split(' ').map(word => word.split('|'))
  const named = Object.entries<Input>(inputs)
  const args = named.filter(([, { kind }]) => kind === 'argument')
  const options = named.filter(([, { kind }]) => kind === 'option')
  const config = options.map(
    ([option, { value }]) => [option, value === undefined ? flagType : textType] as const,
  )
  return {
    words,
    usage: describe([name, ...named.map(describeInput)].join(' '), help),
    parse(given) {
      const rest = given.slice(words.length)
      // The id of a key may begin with "-". What begins with "--" is an option, except after "--".
      const hasOption = options.length > 0 || rest.some(arg => arg.startsWith('--'))
      const { values, positionals } = parseArgs({
        args: hasOption ? rest : ['--', ...rest],
        options: Object.fromEntries(config),
        allowPositionals: true,
      })
      const isMissing = ([name, { isRequired }]: [string, Input]) => isRequired && values[name] === undefined
      const missing = options.find(isMissing)
      if (missing !== undefined) throw new Error(`The option --${missing[0]} is required.`)
      for (const [index, [arg]] of args.entries()) values[arg] = positionals[index]
      if (args.some(isMissing) || positionals.length > args.length) return undefined
      return () => run(values as Values<T>, given.slice(0, words.length))
    },
  }
}

/** Where the explanations begin. */
const helpColumn = 51

function describe(synopsis: string, help: string): string {
  const start = `  ${synopsis}`.padEnd(helpColumn)
  return start.length > helpColumn ? `${start}\n${' '.repeat(helpColumn)}${help}` : `${start}${help}`
}

function describeInput([name, { kind, value, isRequired }]: [string, Input]): string {
  const text = [...(kind === 'option' ? [`--${name}`] : []), ...(value === undefined ? [] : [value])].join(
    ' ',
  )
  return isRequired ? text : `[${text}]`
}
