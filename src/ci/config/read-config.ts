/** Parses the whole file: global keywords, then every job. */
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { Config, ConfiguredJob, Workflow } from './config.types.ts'
import { type FileDefaults, readDefaults, topLevelDefaults } from './defaults.ts'
import { checkJobs } from './job-checks.ts'
import { readJob } from './jobs.ts'
import { aString, attribute, below, hasKnownKeys, type Location, part, refuse, strings } from './location.ts'
import { readOptions } from './options.ts'
import { readAutoCancel, readRules } from './rules.ts'
import { plainVariables, type ReadVariable, readVariables } from './variables.ts'

/** Top-level keys that are not jobs. */
export const globalKeys = [...topLevelDefaults, 'default', 'variables', 'stages', 'types', 'workflow', 'include']
const defaultStages = ['build', 'test', 'deploy']
const maxJobs = 10_000
const maxStages = 1_000

/** Errors are reported to `where`; the result is only valid if there are none. */
export function readConfig(root: YamlMap, where: Location): Config {
  const variables = part(where, root, 'variables', (value, at) => readVariables(value, at, 'global')) ?? []
  const stages = readStages(root, where)
  const workflow = readWorkflow(root.get('workflow') ?? null, where)
  const defaults = readDefaults(root, where)
  checkDefaults(defaults, where)
  // Like the reference, jobs are only checked if the rest of the file is valid.
  const jobs =
    where.errors.length > 0
      ? []
      : readJobs(root, where, { defaults, variables: plainVariables(variables), hasWorkflowRules: workflow.rules !== null })
  if (where.errors.length === 0) checkJobs(jobs, stages, (message) => where.errors.push(message))
  return { stages, variables: plainVariables(variables), described_variables: described(variables), workflow, jobs, merged: root }
}

/** Reported once, not for each job that inherits them. */
function checkDefaults(defaults: YamlMap, where: Location): void {
  readOptions('', defaults, new Map(), { ...where, location: '' }, [])
}

function readJobs(root: YamlMap, where: Location, file: FileDefaults): ConfiguredJob[] {
  const at = below(where, 'jobs')
  const entries = [...root].filter(([name]) => !globalKeys.includes(name) && !name.startsWith('.'))
  if (entries.length === 0) refuse(at, 'config should contain at least one visible job')
  if (entries.length > maxJobs) {
    refuse(at, `config has too many jobs (maximum is ${maxJobs})`)
    return []
  }
  return entries.map(([name, value]) => readJob(name, value, below(at, name), file)).filter((job) => job !== null)
}

/** `.pre` and `.post` always exist, wherever they are written. */
function readStages(root: YamlMap, where: Location): string[] {
  const key = (root.get('stages') ?? null) !== null ? 'stages' : 'types'
  const at = below(where, key)
  const given = root.get(key) ?? null
  const flat = Array.isArray(given) ? given.flat() : given
  const stages = flat === null ? defaultStages : strings.accept(flat as Yaml)
  if (!stages) refuse(at, 'config should be an array of strings')
  else if (stages.length > maxStages) refuse(at, `config has too many stages (maximum is ${maxStages})`)
  const own = [...new Set(stages ?? defaultStages)].filter((stage) => stage !== '.pre' && stage !== '.post')
  return ['.pre', ...own, '.post']
}

function readWorkflow(value: Yaml, where: Location): Workflow {
  const none: Workflow = { name: null, rules: null, auto_cancel: {} }
  if (value === null) return none
  const at = below(where, 'workflow')
  if (!isMap(value)) {
    refuse(at, 'config should be a hash')
    return none
  }
  if (!hasKnownKeys(value, at, ['rules', 'name', 'auto_cancel'])) return none
  const name = attribute(at, value, 'name', aString)
  if (name !== null && name.length > 255) refuse(at, 'name is too long (maximum is 255 characters)')
  const rules = part(at, value, 'rules', (given, where) => readRules(given, where, 'workflow'))
  return { name: isText(name) ? name : null, rules, auto_cancel: part(at, value, 'auto_cancel', readAutoCancel) ?? {} }
}

function described(variables: ReadVariable[]): Config['described_variables'] {
  return variables.flatMap(({ key, value, description, options }) => (description === null ? [] : [{ key, value, description, options }]))
}
