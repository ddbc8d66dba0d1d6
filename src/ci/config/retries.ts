/** `retry`. */
import { isMap, type Yaml } from '../yaml/values.ts'
import type { ConfiguredJob } from './config.types.ts'
import { attribute, type Check, hasKnownKeys, type Location, refuse, stringOrStrings } from './location.ts'
import { exitCodes } from './rules.ts'

/** Kinds of failures after which a job may be retried. */
export const retryReasons = [
  'always',
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'missing_dependency_failure',
  'image_pull_failure',
  'runner_interrupted',
]

const reasons: Check<string[]> = {
  accept: (value) => {
    const given = stringOrStrings.accept(value)
    return given?.every((reason) => retryReasons.includes(reason)) ? given : undefined
  },
  words: `should be one or more of: ${retryReasons.join(', ')}`,
}

export function readRetry(value: Yaml, where: Location): ConfiguredJob['retry'] | null {
  if (!isMap(value)) {
    const max = maxOf(value, where)
    return max === null ? null : { max, when: ['always'], exit_codes: [] }
  }
  if (!hasKnownKeys(value, where, ['max', 'when', 'exit_codes'])) return null
  const exit_codes = attribute(where, value, 'exit_codes', exitCodes) ?? []
  const max = maxOf(value.get('max') ?? 0, where)
  return { max: max ?? 0, when: attribute(where, value, 'when', reasons) ?? (exit_codes.length > 0 ? [] : ['always']), exit_codes }
}

function maxOf(value: Yaml, where: Location): number | null {
  const wrong =
    typeof value !== 'number'
      ? 'is not a number'
      : !Number.isInteger(value)
        ? 'must be an integer'
        : value < 0
          ? 'must be greater than or equal to 0'
          : value > 2 && 'must be less than or equal to 2'
  if (wrong) refuse(where, `config ${wrong}`)
  return wrong || typeof value !== 'number' ? null : value
}
