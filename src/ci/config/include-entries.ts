/** Parses `include`: which files, and under which rules. Loading them is elsewhere. */
import type { IncludeEntry, PlainValue } from '../plan.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { Rule } from './config.types.ts'
import { plainOf } from './inputs.ts'
import { aString, attribute, hasKnownKeys, type Location, part, refuse, stringOrStrings } from './location.ts'
import { readRules } from './rules.ts'

export interface ConditionalInclude {
  entry: IncludeEntry
  rules: Rule[] | null
}

const keys = [
  'local',
  'project',
  'ref',
  'file',
  'remote',
  'template',
  'artifact',
  'job',
  'rules',
  'integrity',
  'cache',
  'component',
  'inputs',
]
const sources = ['local', 'project', 'remote', 'template', 'artifact', 'component'] as const

/** `child` is the `include` of a trigger; only that may name artifacts. */
export function readIncludeEntries(value: Yaml, where: Location, kind: 'file' | 'child' = 'file'): ConditionalInclude[] {
  const list = Array.isArray(value) ? value : [value]
  return list.flatMap((one) => readEntry(one, where, kind))
}

function readEntry(value: Yaml, where: Location, kind: 'file' | 'child'): ConditionalInclude[] {
  if (isText(value) && value !== '') {
    return [{ entry: /^https?:\/\//.test(value) ? { kind: 'remote', url: value } : { kind: 'local', file: value }, rules: null }]
  }
  if (!isMap(value)) {
    refuse(where, 'config should be a hash or a string')
    return []
  }
  const said = sources.filter((key) => value.has(key))
  if (said.length !== 1) {
    refuse(where, 'config must specify the file where to fetch the config from: one of local, project, remote, template, component')
    return []
  }
  if (!hasKnownKeys(value, where, keys)) return []
  const rules = part(where, value, 'rules', (given, at) => readRules(given, at, 'include'))
  const inputs = part(where, value, 'inputs', readInputs)
  return entriesOf(value, where, kind).map((entry) => ({ entry: inputs ? { ...entry, inputs } : entry, rules }))
}

/** Values for the inputs of a file. */
export function readInputs(value: Yaml, where: Location): Record<string, PlainValue> | null {
  if (isMap(value)) return Object.fromEntries([...value].map(([name, given]) => [name, plainOf(given)]))
  refuse(where, 'config should be a hash')
  return null
}

function entriesOf(map: YamlMap, where: Location, kind: 'file' | 'child'): IncludeEntry[] {
  const text = (key: string) => attribute(where, map, key, aString)
  if (map.has('project')) return filesOfProject(map, where)
  if (map.has('artifact')) return artifactOf(map, where, kind)
  const [local, remote, template, component] = [text('local'), text('remote'), text('template'), text('component')]
  if (local) return [{ kind: 'local', file: local }]
  if (remote) return [{ kind: 'remote', url: remote }]
  if (template) return [{ kind: 'template', file: template }]
  if (component) return [{ kind: 'component', component }]
  refuse(where, "config file name can't be blank")
  return []
}

function filesOfProject(map: YamlMap, where: Location): IncludeEntry[] {
  const project = attribute(where, map, 'project', aString)
  const files = attribute(where, map, 'file', stringOrStrings) ?? []
  const ref = attribute(where, map, 'ref', aString)
  if (files.length === 0 || files.includes('')) refuse(where, 'config must specify the file where to fetch the config from')
  return project === null ? [] : files.map((file) => ({ kind: 'project', project, ref: ref || null, file }))
}

function artifactOf(map: YamlMap, where: Location, kind: 'file' | 'child'): IncludeEntry[] {
  const file = attribute(where, map, 'artifact', aString)
  const job = attribute(where, map, 'job', aString)
  if (kind === 'file') refuse(where, 'config with `artifact` is for `trigger:include` alone')
  else if (!job) refuse(where, 'config must specify the job where to fetch the artifact from')
  return file && job ? [{ kind: 'artifact', file, job }] : []
}
