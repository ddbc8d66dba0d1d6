/** `rules` of jobs, workflows and includes. */
import { parseExpression } from '../expressions/expressions.ts'
import { jobWhens, type Plan } from '../plan.ts'
import { parseDuration } from '../text/durations.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { AllowFailure, Rule } from './config.types.ts'
import {
  aBoolean,
  aString,
  attribute,
  below,
  type Check,
  flattened,
  hasKnownKeys,
  type Location,
  mapOf,
  oneOf,
  part,
  refuse,
  strings,
} from './location.ts'
import { readNeeds } from './needs.ts'
import { readPaths } from './policies.ts'
import { plainVariables, readVariables } from './variables.ts'

/** The keywords that rules of a job, a workflow and an include may have. */
const kinds = {
  job: {
    keys: ['if', 'changes', 'exists', 'when', 'start_in', 'allow_failure', 'variables', 'needs', 'interruptible'],
    whens: [...jobWhens, 'never'] as const,
  },
  workflow: { keys: ['if', 'changes', 'exists', 'when', 'variables', 'auto_cancel'], whens: ['always', 'never'] as const },
  include: { keys: ['if', 'changes', 'exists', 'when'], whens: ['always', 'never'] as const },
}
export type RuleKind = keyof typeof kinds

const maxRules = 500
const maxDelay_s = 7 * 24 * 60 * 60

export function readRules(value: Yaml, where: Location, kind: RuleKind): Rule[] {
  const list = flattened(value)
  if (!list) {
    refuse(where, 'config should be an array containing hashes and arrays of hashes')
    return []
  }
  if (list.length > maxRules) {
    refuse(where, `config has too many rules (maximum is ${maxRules})`)
    return []
  }
  const at = below(where, 'rule')
  return list.map((rule) => readRule(rule, at, kind)).filter((rule) => rule !== null)
}

function readRule(value: Yaml, where: Location, kind: RuleKind): Rule | null {
  const { keys, whens } = kinds[kind]
  if (isMap(value) && value.size === 0) {
    refuse(where, "config can't be blank")
    return null
  }
  const map = mapOf(value, where, keys)
  if (!map) return null
  const when = attribute(where, map, 'when', oneOf<Rule['when'] & string>(whens, `unknown value: ${shown(map.get('when'))}`))
  const start_in_s = readDelay(map, where, when)
  return {
    if: readIf(map, where),
    changes: part(where, map, 'changes', readChanges),
    exists: readExists(map, where),
    when,
    start_in_s,
    allow_failure: readAllowFailure(map, where),
    interruptible: attribute(where, map, 'interruptible', aBoolean),
    variables: plainVariables(part(where, map, 'variables', readVariables) ?? []),
    needs: part(where, map, 'needs', (given, at) => readNeeds(given, at)),
    auto_cancel: part(where, map, 'auto_cancel', readAutoCancel) ?? {},
  }
}

const shown = (value: Yaml | undefined) => (isText(value) || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '')

function readIf(map: YamlMap, where: Location): Rule['if'] {
  const given = map.get('if') ?? null
  if (given === null) return null
  const expression = isText(given) ? parseExpression(given, where.patterns) : null
  if (!expression) refuse(where, 'if invalid expression syntax')
  return expression
}

function readChanges(value: Yaml, where: Location): Rule['changes'] {
  if (!isMap(value)) return { paths: pathsOf(value, where), compare_to: null }
  if (!hasKnownKeys(value, where, ['paths', 'compare_to'])) return null
  if (!value.has('paths')) refuse(where, "paths can't be blank")
  return { paths: readPaths(value.get('paths') ?? null, where, 'paths') ?? [], compare_to: attribute(where, value, 'compare_to', aString) }
}

function pathsOf(value: Yaml, where: Location): string[] {
  const paths = strings.accept(value)
  if (!paths) refuse(where, 'config should be an array of strings')
  else if (paths.length > 50) refuse(where, 'config is too long (maximum is 50 characters)')
  return paths ?? []
}

/** `exists` in another project can't be checked here, and counts as false. */
function readExists(map: YamlMap, where: Location): string[] | null {
  const given = map.get('exists') ?? null
  if (!isMap(given)) return readPaths(isText(given) ? [given] : given, where, 'exists')
  if (!hasKnownKeys(given, below(where, 'exists'), ['paths', 'project', 'ref'])) return null
  if (given.has('project')) where.warnings.push(`${where.location}:exists:project is not supported: the rule does not match`)
  return given.has('project') ? [] : readPaths(given.get('paths') ?? null, where, 'exists')
}

/** `start_in` in seconds; only valid with `when: delayed`. */
export function readDelay(map: YamlMap, where: Location, when: string | null): number | null {
  const given = map.get('start_in') ?? null
  if (when !== 'delayed') {
    if (given !== null) refuse(where, 'start in must be blank')
    return null
  }
  const seconds = isText(given) || typeof given === 'number' ? parseDuration(String(given)) : null
  if (seconds === null) refuse(where, 'start in should be a duration')
  else if (seconds > maxDelay_s) refuse(where, 'start in should not exceed the limit')
  return seconds
}

export function readAllowFailure(map: YamlMap, where: Location): AllowFailure | null {
  const given = map.get('allow_failure') ?? null
  if (given === null || typeof given === 'boolean') return given
  if (!isMap(given)) {
    refuse(where, 'allow failure should be a boolean value')
    return null
  }
  const at = below(where, 'allow_failure')
  if (!hasKnownKeys(given, at, ['exit_codes'])) return null
  return { exit_codes: attribute(at, given, 'exit_codes', exitCodes) ?? [] }
}

export const exitCodes: Check<number[]> = {
  accept: (value) => {
    const list = typeof value === 'number' ? [value] : value
    return Array.isArray(list) && list.every((code): code is number => Number.isInteger(code)) ? list : undefined
  },
  words: 'should be an array of integers or an integer',
}

export function readAutoCancel(value: Yaml, where: Location): Partial<Plan['auto_cancel']> {
  const map = mapOf(value, where, ['on_new_commit', 'on_job_failure'])
  if (!map) return {}
  const commits = ['conservative', 'interruptible', 'none'] as const
  const failures = ['none', 'all'] as const
  const on_new_commit = attribute(where, map, 'on_new_commit', oneOf(commits, `must be one of: ${commits.join(', ')}`))
  const on_job_failure = attribute(where, map, 'on_job_failure', oneOf(failures, `must be one of: ${failures.join(', ')}`))
  return { ...(on_new_commit && { on_new_commit }), ...(on_job_failure && { on_job_failure }) }
}
