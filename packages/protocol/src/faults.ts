/** Where a fault is: member names and indexes, from the value that was checked. */
export type Path = readonly (string | number)[]

/** One thing that a check found wrong; each dialect puts it into its own words. */
export interface CheckFault<Rule extends string = string> {
  path: Path
  rule: Rule
  message: string
  /** The bound that was passed, for `too_long`, `too_many`, `total_too_long` and the like. */
  limit?: number
  /** For `invalid_url`: the scheme that is not allowed, where that is what is wrong. */
  scheme?: string
}

/** A fault of the native dialect, as it stands in `errors` of `validation_failed`. */
export interface FieldFault {
  path: string
  code: string
  message: string
}

/** No check reports more than this: an answer stays small, whatever the body. */
export const maxFaults = 1000

/** A list of faults of these rules and perhaps others, to add to. */
export interface FaultList<Rule extends string> {
  readonly length: number
  push(fault: CheckFault<Rule>): number
}

/** Adds a fault, up to `maxFaults`. */
export function report<Rule extends string>(faults: FaultList<Rule>, fault: CheckFault<Rule>): void {
  if (faults.length < maxFaults) faults.push(fault)
}

/** Puts `prefix` before the paths of the faults from index `from` on, so that paths cost nothing where all is well. */
export function nest(faults: CheckFault[], from: number, ...prefix: Path): void {
  for (let i = from; i < faults.length; i++) {
    const fault = faults[i]
    if (fault) fault.path = [...prefix, ...fault.path]
  }
}

/** `['options', 0, 'name']` as `options[0].name`; an index may come first: `[3].name`. */
export function formatPath(path: Path, prefix = ''): string {
  let text = prefix
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/** Faults in the native dialect; `prefix` is where the value stood in the body (`data` of a callback). */
export function toFieldFaults(faults: readonly CheckFault[], prefix = ''): FieldFault[] {
  return faults.map(fault => ({
    path: formatPath(fault.path, prefix),
    code: fault.rule,
    message: fault.message,
  }))
}
