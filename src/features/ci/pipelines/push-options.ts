/** Push options about pipelines (`git push -o`): `ci.skip`, `ci.variable=KEY=value`, `ci.input=name=value`. Pure. */
import { keyError, valueError } from '../variables/variables.ts'
import type { GivenVariable } from './request.ts'

export interface CiPushOptions {
  /** Whether the pipeline is created without jobs. */
  skips: boolean
  /** Whether no pipeline is created (`ci.no_pipeline`). */
  wantsNone: boolean
  variables: GivenVariable[]
  inputs: Record<string, string>
}

/** Ignores other options, and variables with invalid names. If a name occurs twice, the last value counts. */
export function readPushOptions(options: readonly string[]): CiPushOptions {
  const variables = pairsOf(options, 'ci.variable=').filter(([key, value]) => keyError(key) === null && valueError(value) === null)
  return {
    skips: options.includes('ci.skip'),
    wantsNone: options.includes('ci.no_pipeline'),
    variables: [...new Map(variables)].map(([key, value]) => ({ key, value, kind: 'env_var', raw: false })),
    inputs: Object.fromEntries(pairsOf(options, 'ci.input=')),
  }
}

/** `KEY=value`: the value may contain further equals signs. */
function pairsOf(options: readonly string[], prefix: string): [string, string][] {
  return options.flatMap((option): [string, string][] => {
    const pair = option.startsWith(prefix) ? option.slice(prefix.length) : ''
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : []
  })
}
