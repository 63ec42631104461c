import type { Parameters } from '../parameters.ts'
import { Refusal } from './refusal.ts'

export type Prompt = 'none' | 'login' | 'consent' | 'select_account'

const prompts: readonly string[] = ['none', 'login', 'consent', 'select_account'] satisfies Prompt[]

/** Core §3.1.2.1: what the person is to be shown. `none` stands alone. */
export function checkPrompt(parameters: Parameters): ReadonlySet<Prompt> {
  const words = wordsOf(parameters)
  if (!words.every(isPrompt))
    throw new Refusal('invalid_request', `The prompt is one of ${prompts.join(', ')}.`)
  if (words.includes('none') && words.length > 1)
    throw new Refusal('invalid_request', 'prompt=none stands alone.')
  return new Set(words)
}

/** Read before the prompt is judged: nobody is shown a page who must not be. */
export function asksForNoPage(parameters: Parameters): boolean {
  return wordsOf(parameters).includes('none')
}

/** Core §3.1.2.1: seconds since the last sign-in at most; undefined where it does not matter. */
export function checkMaxAge(parameters: Parameters): number | undefined {
  const text = parameters.get('max_age')
  if (text === undefined) return undefined
  if (!/^[0-9]{1,10}$/.test(text)) throw new Refusal('invalid_request', 'The max_age is a number of seconds.')
  return Number(text)
}

function wordsOf(parameters: Parameters): string[] {
  return (parameters.get('prompt') ?? '').split(' ').filter(word => word !== '')
}

function isPrompt(word: string): word is Prompt {
  return prompts.includes(word)
}
