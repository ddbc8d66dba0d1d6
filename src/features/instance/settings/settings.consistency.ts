/** Errors of the settings that would result from a change, individually and in combination. */
import type { Setting } from './settings.schema.ts'
import type { SettingName, Settings } from './settings.service.ts'
import { settingsTable } from './settings.table.ts'

type FieldErrors = Record<string, string | null>

const table = Object.entries(settingsTable) as Array<[SettingName, Setting]>

export function fieldErrorsOf(change: Partial<Settings>, changed: Settings): FieldErrors {
  return {
    ...valueErrorsOf(change, changed),
    ...listErrorsOf(changed),
    ...blankErrorsOf(changed),
    ...orderErrorsOf(changed),
  }
}

/** Errors of changed values, and of values that become relevant by the change. */
function valueErrorsOf(change: Partial<Settings>, changed: Settings): FieldErrors {
  const errors = table.map(([name, { validate, heededWith }]) => {
    const value = heededWith === null ? change[name] : changed[heededWith as SettingName] === true ? changed[name] : null
    return [name, validate && typeof value === 'string' && value !== '' ? validate(value) : null] as const
  })
  return Object.fromEntries(errors)
}

/** There must be a place for repositories, and an allowed type of SSH keys. */
function listErrorsOf(settings: Settings): FieldErrors {
  const { repository_storages: storages } = settings
  const unknown = storages.filter((name) => name !== 'default')
  const families = ['rsa', 'dsa', 'ecdsa', 'ed25519'] as const
  const allowed = families.filter((family) => settings[`${family}_key_restriction`] !== -1)
  return {
    repository_storages: storages.length === 0 ? "can't be blank" : unknown.length > 0 ? `can't include: ${unknown.join(', ')}` : null,
    allowed_key_types: allowed.length === 0 ? "can't be blank" : null,
  }
}

/** A switch that is on needs its required settings, whenever they were set. */
function blankErrorsOf(settings: Settings): FieldErrors {
  const empty = (name: string) => {
    const value = settings[name as SettingName]
    return value === null || value === '' || (Array.isArray(value) && value.length === 0)
  }
  return Object.fromEntries(
    table.flatMap(([name, { requires, blank }]) =>
      blank !== null && settings[name] === true ? requires.filter(empty).map((other) => [other, blank]) : [],
    ),
  )
}

/** More thorough housekeeping must be less frequent, and quick work must have the shortest time limit. */
function orderErrorsOf(settings: Settings): FieldErrors {
  const { housekeeping_incremental_repack_period: incremental, housekeeping_gc_period: gc } = settings
  const full = settings.housekeeping_full_repack_period
  const belowMin = (value: number | null, bound: number | null) =>
    value !== null && bound !== null && value < bound ? `must be greater than or equal to ${bound}` : null
  const aboveMax = (value: number, bound: number) => (value > bound ? `must be less than or equal to ${bound}` : null)
  const { storage_timeout_default: usual, storage_timeout_fast: fast, storage_timeout_medium: medium } = settings
  return {
    housekeeping_full_repack_period: belowMin(full, incremental),
    housekeeping_gc_period: belowMin(gc, full ?? incremental),
    storage_timeout_fast: aboveMax(fast, usual),
    storage_timeout_medium: aboveMax(medium, usual) ?? belowMin(medium, fast),
  }
}
