/** What `git push -o` says about the pipelines of a push: `ci.skip`, `ci.variable=KEY=value`, `ci.input=name=value`. Pure. */
import { keyError, valueError } from '../variables/variables.ts'
import type { GivenVariable } from './request.ts'

export interface CiPushOptions {
  /** The pipeline is there, without jobs. */
  skips: boolean
  /** There is none (`ci.no_pipeline`). */
  wantsNone: boolean
  variables: GivenVariable[]
  inputs: Record<string, string>
}

/** Options of others, and variables that nobody could have, are left out. Of a name that is given twice the last value counts. */
export function readPushOptions(options: readonly string[]): CiPushOptions {
  const variables = pairsOf(options, 'ci.variable=').filter(([key, value]) => keyError(key) === null && valueError(value) === null)
  return {
    skips: options.includes('ci.skip'),
    wantsNone: options.includes('ci.no_pipeline'),
    variables: [...new Map(variables)].map(([key, value]) => ({ key, value, kind: 'env_var', raw: false })),
    inputs: Object.fromEntries(pairsOf(options, 'ci.input=')),
  }
}

/** `KEY=value`: the value may have more of them. */
function pairsOf(options: readonly string[], prefix: string): [string, string][] {
  return options.flatMap((option): [string, string][] => {
    const pair = option.startsWith(prefix) ? option.slice(prefix.length) : ''
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : []
  })
}
