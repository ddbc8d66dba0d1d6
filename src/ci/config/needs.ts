/** `needs`: jobs of this pipeline, of other projects, of other pipelines. */
import type { CrossDependency } from '../plan.ts'
import { isMap, isText, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { ConfiguredNeed, ConfiguredNeeds } from './config.types.ts'
import { aBoolean, aString, attribute, below, flattened, hasKnownKeys, type Place, part, refuse } from './location.ts'
import { readMatrix } from './parallel.ts'

const maxNeeds = 50
const maxCross = 5

export function readNeeds(value: Yaml, place: Place): ConfiguredNeeds {
  const list = isText(value) || isMap(value) ? [value] : flattened(value)
  const needs: ConfiguredNeeds = { jobs: [], cross: [] }
  if (!list) {
    refuse(place, 'config can only be a hash or an array')
    return needs
  }
  for (const one of list) readNeed(one, below(place, 'need'), needs)
  if (needs.jobs.length > maxNeeds) {
    refuse(place, `config one job can only need ${maxNeeds} others, but you have listed ${needs.jobs.length}`)
    needs.jobs.length = maxNeeds
  }
  if (needs.cross.length > maxCross) refuse(place, `config must be less than or equal to ${maxCross}`)
  return needs
}

function readNeed(value: Yaml, place: Place, needs: ConfiguredNeeds): void {
  if (isText(value)) {
    if (value === '') refuse(place, "config can't be blank")
    needs.jobs.push({ job: value, artifacts: true, optional: false, instances: null })
  } else if (!isMap(value)) refuse(place, 'has an unsupported type')
  else if (value.has('project')) readProjectNeed(value, place, needs.cross)
  else if (value.has('pipeline')) readPipelineNeed(value, place, needs.cross)
  else readJobNeed(value, place, needs.jobs)
}

function readJobNeed(map: YamlMap, place: Place, jobs: ConfiguredNeed[]): void {
  if (!hasKnownKeys(map, place, ['job', 'artifacts', 'optional', 'parallel'])) return
  const job = required(map, place, 'job')
  const artifacts = attribute(place, map, 'artifacts', aBoolean) ?? true
  const optional = attribute(place, map, 'optional', aBoolean) ?? false
  const instances = part(place, map, 'parallel', (value, at) => {
    if (isMap(value) && value.has('matrix')) return part(at, value, 'matrix', readMatrix)
    refuse(at, 'config should be a hash with `matrix`')
    return null
  })
  if (job !== null) jobs.push({ job, artifacts, optional, instances })
}

function readProjectNeed(map: YamlMap, place: Place, cross: CrossDependency[]): void {
  if (!hasKnownKeys(map, place, ['project', 'ref', 'job', 'artifacts'])) return
  const [project, ref, job] = [required(map, place, 'project'), required(map, place, 'ref'), required(map, place, 'job')]
  const artifacts = attribute(place, map, 'artifacts', aBoolean) ?? true
  if (project !== null && ref !== null && job !== null) cross.push({ project, ref, job, artifacts })
}

/** Without a job it is a bridge that shows the status of another pipeline; nothing is fetched from it. */
function readPipelineNeed(map: YamlMap, place: Place, cross: CrossDependency[]): void {
  if (!hasKnownKeys(map, place, ['pipeline', 'job', 'artifacts', 'optional'])) return
  const pipeline = required(map, place, 'pipeline')
  const job = attribute(place, map, 'job', aString)
  const artifacts = attribute(place, map, 'artifacts', aBoolean) ?? true
  if (pipeline !== null && job !== null) cross.push({ pipeline, job, artifacts })
}

function required(map: YamlMap, place: Place, key: string): string | null {
  const value = attribute(place, map, key, aString)
  if (!map.get(key)) refuse(place, `${key} can't be blank`)
  return value || null
}
