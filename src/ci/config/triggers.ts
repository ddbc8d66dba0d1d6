/** `trigger`: jobs that start a pipeline of another project, or a child of this one. */
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { ConfiguredTrigger } from './config.types.ts'
import { readIncludeEntries, readInputs } from './include-entries.ts'
import { aBoolean, aString, attribute, below, hasKnownKeys, type Location, oneOf, part, refuse } from './location.ts'

const maxIncludes = 3
const strategies = ['depend', 'mirror'] as const
const withoutForward = { yaml_variables: true, pipeline_variables: false }
const none: ConfiguredTrigger = { project: null, branch: null, include: null, strategy: null, forward: withoutForward, inputs: {} }

export function readTrigger(value: Yaml, where: Location): ConfiguredTrigger | null {
  if (isText(value) && value !== '') return { ...none, project: value }
  if (!isMap(value)) {
    refuse(where, 'has to be either a string or a hash')
    return null
  }
  if (value.has('project')) return readProject(value, where)
  if (value.has('include')) return readChild(value, where)
  refuse(where, 'config must specify either project or include')
  return null
}

function readProject(map: YamlMap, where: Location): ConfiguredTrigger | null {
  if (!hasKnownKeys(map, where, ['project', 'branch', 'strategy', 'forward', 'inputs'])) return null
  const project = attribute(where, map, 'project', aString)
  if (project === '') refuse(where, "project can't be blank")
  return { ...none, ...readRest(map, where), project, branch: attribute(where, map, 'branch', aString) }
}

function readChild(map: YamlMap, where: Location): ConfiguredTrigger | null {
  if (!hasKnownKeys(map, where, ['include', 'strategy', 'forward', 'inputs'])) return null
  const at = below(where, 'include')
  const include = readIncludeEntries(map.get('include') ?? null, at, 'child').map(({ entry }) => entry)
  if (include.length > maxIncludes) refuse(at, `config is too long (maximum is ${maxIncludes} items)`)
  return { ...none, ...readRest(map, where), include }
}

function readRest(map: YamlMap, where: Location): Pick<ConfiguredTrigger, 'strategy' | 'forward' | 'inputs'> {
  const strategy = attribute(where, map, 'strategy', oneOf(strategies, 'should be depend or mirror'))
  const forward = part(where, map, 'forward', (value, at) => {
    if (!isMap(value) || !hasKnownKeys(value, at, ['yaml_variables', 'pipeline_variables'])) {
      if (!isMap(value)) refuse(at, 'config should be a hash')
      return null
    }
    return {
      yaml_variables: attribute(at, value, 'yaml_variables', aBoolean) ?? withoutForward.yaml_variables,
      pipeline_variables: attribute(at, value, 'pipeline_variables', aBoolean) ?? withoutForward.pipeline_variables,
    }
  })
  return { strategy, forward: forward ?? withoutForward, inputs: part(where, map, 'inputs', readInputs) ?? {} }
}
