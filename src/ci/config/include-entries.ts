/** What `include` says: which files, and under which rules. Loading them is elsewhere. */
import type { IncludeEntry } from '../plan.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { Rule } from './config.types.ts'
import { aString, attribute, hasKnownKeys, type Place, part, refuse, stringOrStrings } from './location.ts'
import { readRules } from './rules.ts'

export interface ConditionalInclude {
  entry: IncludeEntry
  rules: Rule[] | null
}

const keys = ['local', 'project', 'ref', 'file', 'remote', 'template', 'artifact', 'job', 'rules', 'integrity', 'cache']
const places = ['local', 'project', 'remote', 'template', 'artifact', 'component'] as const

/** `child` is the `include` of a trigger, which alone may name artifacts. */
export function readIncludeEntries(value: Yaml, place: Place, kind: 'file' | 'child' = 'file'): ConditionalInclude[] {
  const list = Array.isArray(value) ? value : [value]
  return list.flatMap((one) => readEntry(one, place, kind))
}

function readEntry(value: Yaml, place: Place, kind: 'file' | 'child'): ConditionalInclude[] {
  if (isText(value) && value !== '') {
    return [{ entry: /^https?:\/\//.test(value) ? { kind: 'remote', url: value } : { kind: 'local', file: value }, rules: null }]
  }
  if (!isMap(value)) {
    refuse(place, 'config should be a hash or a string')
    return []
  }
  const said = places.filter((key) => value.has(key))
  if (value.has('component') || value.has('inputs')) {
    refuse(place, `config does not support ${value.has('component') ? '`component`' : '`inputs`'}`)
    return []
  }
  if (said.length !== 1) {
    refuse(place, 'config must specify the file where to fetch the config from: one of local, project, remote, template')
    return []
  }
  if (!hasKnownKeys(value, place, keys)) return []
  const rules = part(place, value, 'rules', (given, at) => readRules(given, at, 'include'))
  return entriesOf(value, place, kind).map((entry) => ({ entry, rules }))
}

function entriesOf(map: YamlMap, place: Place, kind: 'file' | 'child'): IncludeEntry[] {
  const text = (key: string) => attribute(place, map, key, aString)
  if (map.has('project')) return filesOfProject(map, place)
  if (map.has('artifact')) return artifactOf(map, place, kind)
  const [local, remote, template] = [text('local'), text('remote'), text('template')]
  if (local) return [{ kind: 'local', file: local }]
  if (remote) return [{ kind: 'remote', url: remote }]
  if (template) return [{ kind: 'template', file: template }]
  refuse(place, "config file name can't be blank")
  return []
}

function filesOfProject(map: YamlMap, place: Place): IncludeEntry[] {
  const project = attribute(place, map, 'project', aString)
  const files = attribute(place, map, 'file', stringOrStrings) ?? []
  const ref = attribute(place, map, 'ref', aString)
  if (files.length === 0 || files.includes('')) refuse(place, 'config must specify the file where to fetch the config from')
  return project === null ? [] : files.map((file) => ({ kind: 'project', project, ref: ref || null, file }))
}

function artifactOf(map: YamlMap, place: Place, kind: 'file' | 'child'): IncludeEntry[] {
  const file = attribute(place, map, 'artifact', aString)
  const job = attribute(place, map, 'job', aString)
  if (kind === 'file') refuse(place, 'config with `artifact` is for `trigger:include` alone')
  else if (!job) refuse(place, 'config must specify the job where to fetch the artifact from')
  return file && job ? [{ kind: 'artifact', file, job }] : []
}
