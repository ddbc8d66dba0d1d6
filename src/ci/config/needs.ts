/** `needs`: jobs of this pipeline, of other projects, of other pipelines. */
import type { CrossDependency } from '../plan.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { ConfiguredNeed, ConfiguredNeeds } from './config.types.ts'
import { aBoolean, aString, attribute, below, flattened, hasKnownKeys, type Location, part, refuse } from './location.ts'
import { readMatrix } from './parallel.ts'

const maxNeeds = 50
const maxCross = 5

export function readNeeds(value: Yaml, where: Location): ConfiguredNeeds {
  const list = isText(value) || isMap(value) ? [value] : flattened(value)
  const needs: ConfiguredNeeds = { jobs: [], cross: [] }
  if (!list) {
    refuse(where, 'config can only be a hash or an array')
    return needs
  }
  for (const one of list) readNeed(one, below(where, 'need'), needs)
  if (needs.jobs.length > maxNeeds) {
    refuse(where, `config one job can only need ${maxNeeds} others, but you have listed ${needs.jobs.length}`)
    needs.jobs.length = maxNeeds
  }
  if (needs.cross.length > maxCross) refuse(where, `config must be less than or equal to ${maxCross}`)
  return needs
}

function readNeed(value: Yaml, where: Location, needs: ConfiguredNeeds): void {
  if (isText(value)) {
    if (value === '') refuse(where, "config can't be blank")
    needs.jobs.push({ job: value, artifacts: true, optional: false, instances: null })
  } else if (!isMap(value)) refuse(where, 'has an unsupported type')
  else if (value.has('project')) readProjectNeed(value, where, needs.cross)
  else if (value.has('pipeline')) readPipelineNeed(value, where, needs.cross)
  else readJobNeed(value, where, needs.jobs)
}

function readJobNeed(map: YamlMap, where: Location, jobs: ConfiguredNeed[]): void {
  if (!hasKnownKeys(map, where, ['job', 'artifacts', 'optional', 'parallel'])) return
  const job = required(map, where, 'job')
  const artifacts = attribute(where, map, 'artifacts', aBoolean) ?? true
  const optional = attribute(where, map, 'optional', aBoolean) ?? false
  const instances = part(where, map, 'parallel', (value, at) => {
    if (isMap(value) && value.has('matrix')) return part(at, value, 'matrix', readMatrix)
    refuse(at, 'config should be a hash with `matrix`')
    return null
  })
  if (job !== null) jobs.push({ job, artifacts, optional, instances })
}

function readProjectNeed(map: YamlMap, where: Location, cross: CrossDependency[]): void {
  if (!hasKnownKeys(map, where, ['project', 'ref', 'job', 'artifacts'])) return
  const [project, ref, job] = [required(map, where, 'project'), required(map, where, 'ref'), required(map, where, 'job')]
  const artifacts = attribute(where, map, 'artifacts', aBoolean) ?? true
  if (project !== null && ref !== null && job !== null) cross.push({ project, ref, job, artifacts })
}

/** Without a job, it is a bridge that mirrors the status of another pipeline; nothing is downloaded from it. */
function readPipelineNeed(map: YamlMap, where: Location, cross: CrossDependency[]): void {
  if (!hasKnownKeys(map, where, ['pipeline', 'job', 'artifacts', 'optional'])) return
  const pipeline = required(map, where, 'pipeline')
  const job = attribute(where, map, 'job', aString)
  const artifacts = attribute(where, map, 'artifacts', aBoolean) ?? true
  if (pipeline !== null && job !== null) cross.push({ pipeline, job, artifacts })
}

function required(map: YamlMap, where: Location, key: string): string | null {
  const value = attribute(where, map, key, aString)
  if (!map.get(key)) refuse(where, `${key} can't be blank`)
  return value || null
}
