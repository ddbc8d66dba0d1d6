/** `default` (and its older form, keywords at the top level of the file), and what a job inherits from it. */
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { ConfiguredJob } from './config.types.ts'
import { hasKnownKeys, type Location, refuse } from './location.ts'

/** Keywords as written; they are parsed and validated with each job that doesn't set them. */
export type Defaults = YamlMap

/** Global settings of a CI file, which every job inherits. */
export interface FileDefaults {
  defaults: Defaults
  variables: ConfiguredJob['inherited_variables']
  hasWorkflowRules: boolean
}

/** Keywords that may be at the top level of a file. */
export const topLevelDefaults = ['before_script', 'image', 'services', 'after_script', 'cache']
const keys = [...topLevelDefaults, 'interruptible', 'timeout', 'retry', 'tags', 'artifacts', 'hooks', 'id_tokens', 'identity']

export function readDefaults(root: YamlMap, where: Location): Defaults {
  const top = topLevelDefaults.flatMap((key): [string, Yaml][] => (root.has(key) ? [[key, root.get(key) ?? null]] : []))
  const given = root.get('default') ?? null
  if (given === null) return new Map(top)
  const at: Location = { ...where, location: 'default' }
  if (!isMap(given)) {
    refuse(at, 'config should be a hash')
    return new Map(top)
  }
  hasKnownKeys(given, at, keys)
  const twice = top.map(([key]) => key).filter((key) => given.has(key))
  for (const key of twice) refuse(at, `config ${key} is defined in top-level and \`default:\` entry`)
  return new Map([...top, ...given])
}

/** The job with the defaults it hasn't set itself, and its global variables. */
export function inherited(
  map: YamlMap,
  where: Location,
  file: FileDefaults,
): { job: YamlMap; variables: ConfiguredJob['inherited_variables'] } {
  const inherit = readInherit(map.get('inherit') ?? null, where)
  // A job that starts a pipeline doesn't run on a runner.
  const isBridge = (map.get('trigger') ?? null) !== null
  const wanted = isBridge ? [] : [...file.defaults].filter(([key]) => !map.has(key) && allows(inherit.default, key))
  return {
    job: wanted.length > 0 ? new Map([...wanted, ...map]) : map,
    variables: file.variables.filter(({ key }) => allows(inherit.variables, key)),
  }
}

type Inherited = boolean | string[]

const allows = (inherit: Inherited, key: string) => (typeof inherit === 'boolean' ? inherit : inherit.includes(key))

function readInherit(value: Yaml, where: Location): { default: Inherited; variables: Inherited } {
  const all = { default: true, variables: true }
  if (value === null) return all
  const at: Location = { ...where, location: `${where.location}:inherit` }
  if (!isMap(value)) {
    refuse(at, 'config should be a hash')
    return all
  }
  if (!hasKnownKeys(value, at, ['default', 'variables'])) return all
  const read = (key: string): Inherited => {
    const given = value.get(key) ?? true
    if (typeof given === 'boolean') return given
    if (Array.isArray(given) && given.every(isText)) return given
    refuse({ ...at, location: `${at.location}:${key}` }, 'should be a bool or array of strings')
    return true
  }
  return { default: read('default'), variables: read('variables') }
}
