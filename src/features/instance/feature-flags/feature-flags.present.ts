/** Feature flags as clients know them. */
import type { FeatureRows } from './feature-flags.service.ts'

export type PresentedGate = { key: string; value: boolean | number | string[] }

/** One flag for each name. Rows of the same name must be adjacent. */
export function presentFeatures(rows: FeatureRows) {
  const names = [...new Set(rows.map(({ name }) => name))]
  return names.map((name) =>
    presentFeature(
      name,
      rows.filter((row) => row.name === name),
    ),
  )
}

function presentFeature(name: string, rows: FeatureRows) {
  const textsOf = (kind: string) => rows.filter((row) => row.kind === kind).map((row) => textOf(row))
  const numberOf = (kind: string) => Number(rows.find((row) => row.kind === kind)?.value ?? 0)
  const isOn = rows.some(({ kind }) => kind === 'boolean')
  const gates: PresentedGate[] = [{ key: 'boolean', value: isOn }]
  for (const key of ['groups', 'actors']) {
    const value = textsOf(key)
    if (value.length > 0) gates.push({ key, value })
  }
  for (const key of ['percentage_of_actors', 'percentage_of_time']) {
    const value = numberOf(key)
    if (value > 0) gates.push({ key, value })
  }
  return { name, state: stateOf(gates), gates }
}

/** Open for everyone is `on`, also by a percentage of 100. */
function stateOf(gates: PresentedGate[]): 'on' | 'off' | 'conditional' {
  if (gates.some(({ value }) => value === true || value === 100)) return 'on'
  return gates.length > 1 ? 'conditional' : 'off'
}

function textOf({ value, user_id, namespace_id, project_id }: FeatureRows[number]): string {
  if (value !== null) return value
  if (user_id !== null) return `User:${user_id}`
  return namespace_id === null ? `Project:${project_id}` : `Group:${namespace_id}`
}
