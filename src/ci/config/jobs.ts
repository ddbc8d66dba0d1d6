/** Parses a job of the file: its keywords, with what it inherits from `default`. */
import { jobWhens } from '../plan.ts'
import { parseDuration } from '../text/durations.ts'
import { isRegex } from '../text/regex.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { ConfiguredJob } from './config.types.ts'
import { type FileDefaults, inherited } from './defaults.ts'
import { readEnvironment } from './environments.ts'
import {
  aString,
  attribute,
  type Check,
  hasKnownKeys,
  type Location,
  oneOf,
  part,
  refuse,
  stringOrStrings,
  strings,
  whole,
} from './location.ts'
import { readNeeds } from './needs.ts'
import { readOptions } from './options.ts'
import { readParallel } from './parallel.ts'
import { defaultOnly, readPolicy } from './policies.ts'
import { readRetry } from './retries.ts'
import { readAllowFailure, readDelay, readRules } from './rules.ts'
import { readTrigger } from './triggers.ts'
import { plainVariables, readVariables } from './variables.ts'

const keys = [
  ...['tags', 'script', 'only', 'except', 'type', 'image', 'services', 'allow_failure', 'stage', 'when', 'artifacts', 'cache'],
  ...['dependencies', 'before_script', 'after_script', 'variables', 'environment', 'coverage', 'retry', 'extends', 'rules', 'needs'],
  ...['parallel', 'interruptible', 'timeout', 'resource_group', 'start_in', 'trigger', 'inherit', 'release', 'pages', 'publish'],
  ...['hooks', 'id_tokens', 'secrets', 'identity', 'manual_confirmation', 'dast_configuration', 'run'],
]
/** Keywords that a job that starts a pipeline can't have. */
const runnerKeys = [
  'script',
  'before_script',
  'after_script',
  'image',
  'services',
  'artifacts',
  'cache',
  'tags',
  'coverage',
  'dependencies',
  'release',
  'id_tokens',
]
/** Accepted without effect, so that files with them can be used. */
const ignoredKeys = ['secrets', 'identity', 'dast_configuration']

/** Null for an invalid job, which is reported. Stages and names of other jobs are checked when all jobs are parsed. */
export function readJob(name: string, value: Yaml, where: Location, file: FileDefaults): ConfiguredJob | null {
  const map = jobMap(name, value, where)
  if (!map) return null
  const { job, variables: inheritedVariables } = inherited(map, where, file)
  const has = (key: string) => (map.get(key) ?? null) !== null
  const rules = part(where, map, 'rules', (given, at) => readRules(given, at, 'job'))
  const when = attribute(where, map, 'when', oneOf(jobWhens, `should be one of: ${jobWhens.join(', ')}`)) ?? 'on_success'
  const needs = part(where, map, 'needs', readNeeds)
  const explicitOnly = part(where, map, 'only', readPolicy)
  for (const key of ignoredKeys) if (has(key)) where.warnings.push(`${where.location}: \`${key}\` has no effect here`)
  warnOfManyPipelines(name, rules, where, file)
  return {
    name,
    stage: part(where, map, has('stage') ? 'stage' : 'type', whole(aString)) ?? 'test',
    stage_idx: 0,
    when,
    start_in_s: rules ? null : readDelay(map, where, when),
    allow_failure: readAllowFailure(map, where),
    tags: part(where, job, 'tags', (given, at) => tags(given, at)) ?? [],
    needs: needs?.jobs ?? null,
    dependencies: attribute(where, map, 'dependencies', strings),
    inherited_variables: inheritedVariables,
    variables: plainVariables(part(where, map, 'variables', readVariables) ?? []),
    environment: part(where, map, 'environment', readEnvironment),
    coverage: part(where, map, 'coverage', readCoverage),
    retry: part(where, job, 'retry', readRetry) ?? { max: 0, when: ['always'], exit_codes: [] },
    timeout_s: part(where, job, 'timeout', readTimeout),
    interruptible: attribute(where, job, 'interruptible', aBooleanConfig) ?? false,
    resource_group: attribute(where, map, 'resource_group', aString),
    parallel: part(where, map, 'parallel', readParallel),
    trigger: part(where, map, 'trigger', readTrigger),
    manual_confirmation: attribute(where, map, 'manual_confirmation', aString),
    only: explicitOnly ?? (rules || file.hasWorkflowRules ? null : defaultOnly),
    except: part(where, map, 'except', readPolicy),
    rules,
    options: readOptions(name, job, map, where, needs?.cross ?? []),
  }
}

/** The mapping, if it can be a job: with a script or a trigger, and without keys that exclude each other. */
function jobMap(name: string, value: Yaml, where: Location): YamlMap | null {
  if (name === '') refuse({ ...where, location: 'jobs:job' }, "name can't be blank")
  if (name.length > 255) refuse(where, 'name is too long (maximum is 255 characters)')
  if (!isMap(value)) {
    refuse(where, 'config should be a hash')
    return null
  }
  if (value.size === 0) refuse(where, "config can't be blank")
  if (!hasKnownKeys(value, where, keys)) return null
  const has = (key: string) => (value.get(key) ?? null) !== null
  if (!has('script') && !has('trigger')) {
    const onlyShows = isMap(value.get('needs')) || has('run')
    refuse(where, onlyShows ? 'config should implement a script: or trigger: keyword' : "script can't be blank")
    return null
  }
  if (has('trigger') && runnerKeys.some(has)) refuse(where, `config contains unknown keys: ${runnerKeys.filter(has).join(', ')}`)
  if (has('rules')) {
    const excluded = ['only', 'except', 'start_in'].filter(has)
    if (excluded.length > 0) refuse(where, `config key may not be used with \`rules\`: ${excluded.join(', ')}`)
  }
  const given = value.get('extends') ?? null
  if (given !== null && stringOrStrings.accept(given) === undefined) refuse(where, 'extends should be an array of strings or a string')
  return value
}

const aBooleanConfig: Check<boolean> = {
  accept: (value) => (typeof value === 'boolean' ? value : undefined),
  words: 'config should be a boolean value',
}

function tags(value: Yaml, where: Location): string[] {
  const list = isText(value) ? undefined : strings.accept(Array.isArray(value) ? value.flat() : value)
  if (!list) refuse({ ...where, location: where.location.replace(/:tags$/, '') }, 'tags should be an array of strings')
  return list ?? []
}

function readTimeout(value: Yaml, where: Location): number | null {
  const seconds = isText(value) || typeof value === 'number' ? parseDuration(String(value)) : null
  if (seconds === null) refuse(where, 'config should be a duration')
  return seconds
}

/** Without the slashes. */
function readCoverage(value: Yaml, where: Location): string | null {
  const [, source] = isText(value) ? (/^\/(.+)\/$/s.exec(value) ?? []) : []
  if (source !== undefined && isRegex(source)) return source
  refuse(where, 'config must be a regular expression')
  return null
}

/** Without `workflow:rules`, a rule that always matches creates two pipelines for a branch with a merge request. */
function warnOfManyPipelines(name: string, rules: ConfiguredJob['rules'], where: Location, { hasWorkflowRules }: FileDefaults): void {
  const last = rules?.at(-1)
  if (!last || hasWorkflowRules || last.when === null || last.when === 'never') return
  if (last.if || last.changes || last.exists || last.needs || last.allow_failure !== null || last.variables.length > 0) return
  where.warnings.push(
    `jobs:${name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
  )
}
