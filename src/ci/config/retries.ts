/** `retry`. */
import { isMap, type Yaml } from '../yaml/values.ts'
import type { ConfiguredJob } from './config.types.ts'
import { attribute, type Check, hasKnownKeys, type Place, refuse, stringOrStrings } from './location.ts'
import { exitCodes } from './rules.ts'

/** Failures a job may be retried after. */
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
]

const reasons: Check<string[]> = {
  accept: (value) => {
    const given = stringOrStrings.accept(value)
    return given?.every((reason) => retryReasons.includes(reason)) ? given : undefined
  },
  words: `should be one or more of: ${retryReasons.join(', ')}`,
}

export function readRetry(value: Yaml, place: Place): ConfiguredJob['retry'] | null {
  if (!isMap(value)) {
    const max = maxOf(value, place)
    return max === null ? null : { max, when: ['always'], exit_codes: [] }
  }
  if (!hasKnownKeys(value, place, ['max', 'when', 'exit_codes'])) return null
  const exit_codes = attribute(place, value, 'exit_codes', exitCodes) ?? []
  const max = maxOf(value.get('max') ?? 0, place)
  return { max: max ?? 0, when: attribute(place, value, 'when', reasons) ?? (exit_codes.length > 0 ? [] : ['always']), exit_codes }
}

function maxOf(value: Yaml, place: Place): number | null {
  const wrong =
    typeof value !== 'number'
      ? 'is not a number'
      : !Number.isInteger(value)
        ? 'must be an integer'
        : value < 0
          ? 'must be greater than or equal to 0'
          : value > 2 && 'must be less than or equal to 2'
  if (wrong) refuse(place, `config ${wrong}`)
  return wrong || typeof value !== 'number' ? null : value
}
