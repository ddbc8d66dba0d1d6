/** A job of the file: its keywords, with what it inherits from `default`. */
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
  oneOf,
  type Place,
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
/** What a job that starts a pipeline has no use for. */
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
]
/** Accepted, so that files with them can be used; without effect. */
const ignoredKeys = ['id_tokens', 'secrets', 'identity', 'dast_configuration']

/** Null for what is no job; then that is said. Stages and names of other jobs are checked when all jobs are read. */
export function readJob(name: string, value: Yaml, place: Place, file: FileDefaults): ConfiguredJob | null {
  const map = jobMap(name, value, place)
  if (!map) return null
  const { job, variables: inheritedVariables } = inherited(map, place, file)
  const has = (key: string) => (map.get(key) ?? null) !== null
  const rules = part(place, map, 'rules', (given, at) => readRules(given, at, 'job'))
  const when = attribute(place, map, 'when', oneOf(jobWhens, `should be one of: ${jobWhens.join(', ')}`)) ?? 'on_success'
  const needs = part(place, map, 'needs', readNeeds)
  const explicitOnly = part(place, map, 'only', readPolicy)
  for (const key of ignoredKeys) if (has(key)) place.warnings.push(`${place.location}: \`${key}\` has no effect here`)
  warnOfManyPipelines(name, rules, place, file)
  return {
    name,
    stage: part(place, map, has('stage') ? 'stage' : 'type', whole(aString)) ?? 'test',
    stage_idx: 0,
    when,
    start_in_s: rules ? null : readDelay(map, place, when),
    allow_failure: readAllowFailure(map, place),
    tags: part(place, job, 'tags', (given, at) => tags(given, at)) ?? [],
    needs: needs?.jobs ?? null,
    dependencies: attribute(place, map, 'dependencies', strings),
    inherited_variables: inheritedVariables,
    variables: plainVariables(part(place, map, 'variables', readVariables) ?? []),
    environment: part(place, map, 'environment', readEnvironment),
    coverage: part(place, map, 'coverage', readCoverage),
    retry: part(place, job, 'retry', readRetry) ?? { max: 0, when: ['always'], exit_codes: [] },
    timeout_s: part(place, job, 'timeout', readTimeout),
    interruptible: attribute(place, job, 'interruptible', aBooleanConfig) ?? false,
    resource_group: attribute(place, map, 'resource_group', aString),
    parallel: part(place, map, 'parallel', readParallel),
    trigger: part(place, map, 'trigger', readTrigger),
    manual_confirmation: attribute(place, map, 'manual_confirmation', aString),
    only: explicitOnly ?? (rules || file.hasWorkflowRules ? null : defaultOnly),
    except: part(place, map, 'except', readPolicy),
    rules,
    options: readOptions(name, job, map, place, needs?.cross ?? []),
  }
}

/** The mapping, when it is one that a job can be: with a script or a trigger, and without keys that exclude each other. */
function jobMap(name: string, value: Yaml, place: Place): YamlMap | null {
  if (name === '') refuse({ ...place, location: 'jobs:job' }, "name can't be blank")
  if (name.length > 255) refuse(place, 'name is too long (maximum is 255 characters)')
  if (!isMap(value)) {
    refuse(place, 'config should be a hash')
    return null
  }
  if (value.size === 0) refuse(place, "config can't be blank")
  if (!hasKnownKeys(value, place, keys)) return null
  const has = (key: string) => (value.get(key) ?? null) !== null
  if (!has('script') && !has('trigger')) {
    const onlyShows = isMap(value.get('needs')) || has('run')
    refuse(place, onlyShows ? 'config should implement a script: or trigger: keyword' : "script can't be blank")
    return null
  }
  if (has('trigger') && runnerKeys.some(has)) refuse(place, `config contains unknown keys: ${runnerKeys.filter(has).join(', ')}`)
  if (has('rules')) {
    const excluded = ['only', 'except', 'start_in'].filter(has)
    if (excluded.length > 0) refuse(place, `config key may not be used with \`rules\`: ${excluded.join(', ')}`)
  }
  const given = value.get('extends') ?? null
  if (given !== null && stringOrStrings.accept(given) === undefined) refuse(place, 'extends should be an array of strings or a string')
  return value
}

const aBooleanConfig: Check<boolean> = {
  accept: (value) => (typeof value === 'boolean' ? value : undefined),
  words: 'config should be a boolean value',
}

function tags(value: Yaml, place: Place): string[] {
  const list = isText(value) ? undefined : strings.accept(Array.isArray(value) ? value.flat() : value)
  if (!list) refuse({ ...place, location: place.location.replace(/:tags$/, '') }, 'tags should be an array of strings')
  return list ?? []
}

function readTimeout(value: Yaml, place: Place): number | null {
  const seconds = isText(value) || typeof value === 'number' ? parseDuration(String(value)) : null
  if (seconds === null) refuse(place, 'config should be a duration')
  return seconds
}

/** Without its slashes. */
function readCoverage(value: Yaml, place: Place): string | null {
  const [, source] = isText(value) ? (/^\/(.+)\/$/s.exec(value) ?? []) : []
  if (source !== undefined && isRegex(source)) return source
  refuse(place, 'config must be a regular expression')
  return null
}

/** Without `workflow:rules` a rule that always matches makes two pipelines for a branch with a merge request. */
function warnOfManyPipelines(name: string, rules: ConfiguredJob['rules'], place: Place, { hasWorkflowRules }: FileDefaults): void {
  const last = rules?.at(-1)
  if (!last || hasWorkflowRules || last.when === null || last.when === 'never') return
  if (last.if || last.changes || last.exists || last.needs || last.allow_failure !== null || last.variables.length > 0) return
  place.warnings.push(
    `jobs:${name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
  )
}
