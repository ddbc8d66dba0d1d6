/** `parallel`: a number of identical jobs, or one for each combination of a matrix. */
import type { PlannedVariable } from '../plan.ts'
import { isMap, isText, textOf, type Yaml, type YamlMap } from '../yaml/values.ts'
import type { ConfiguredJob } from './config.types.ts'
import { below, hasKnownKeys, type Location, refuse } from './location.ts'

const maxInstances = 200

export function readParallel(value: Yaml, where: Location): ConfiguredJob['parallel'] {
  if (typeof value === 'number') {
    const wrong = !Number.isInteger(value)
      ? 'must be an integer'
      : value < 1
        ? 'must be greater than or equal to 1'
        : value > maxInstances && `must be less than or equal to ${maxInstances}`
    if (wrong) refuse(where, `config ${wrong}`)
    return wrong ? null : { matrix: false, instances: Array.from({ length: value }, () => []) }
  }
  if (!isMap(value) || !hasKnownKeys(value, where, ['matrix'])) {
    if (!isMap(value)) refuse(where, 'should be an integer or a hash')
    return null
  }
  const matrix = value.get('matrix') ?? null
  return { matrix: true, instances: readMatrix(matrix, below(where, 'matrix')) }
}

/** The variables of each instance, in the order of the file. */
export function readMatrix(value: Yaml, where: Location): PlannedVariable[][] {
  const rows = isMap(value) ? [value] : value
  if (!Array.isArray(rows) || rows.length === 0 || !rows.every(isMap)) {
    refuse(where, 'config should be an array of hashes')
    return []
  }
  const count = rows.reduce((sum, row) => sum + sizeOf(row), 0)
  if (count > maxInstances) {
    refuse(where, `config generates too many jobs (maximum is ${maxInstances})`)
    return []
  }
  if (!rows.every(isRow)) {
    refuse(below(where, 'variables'), 'config should be a hash of key value pairs')
    return []
  }
  return rows.flatMap(combinations)
}

const sizeOf = (row: YamlMap) =>
  [...row.values()].reduce<number>((product, values) => product * (Array.isArray(values) ? values.length : 1), 1)

const isScalar = (value: Yaml) => isText(value) || typeof value === 'number'

const isRow = (row: YamlMap) =>
  row.size > 0 &&
  [...row.values()].every((values) => (Array.isArray(values) ? values.length > 0 && values.every(isScalar) : isScalar(values)))

function combinations(row: YamlMap): PlannedVariable[][] {
  return [...row].reduce<PlannedVariable[][]>(
    (found, [key, given]) => {
      const values = (Array.isArray(given) ? given : [given]) as (string | number)[]
      return found.flatMap((before) => values.map((value) => [...before, { key, value: textOf(value), raw: false }]))
    },
    [[]],
  )
}
