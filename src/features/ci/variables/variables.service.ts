/** Rules of CI variables: valid fields, their maximum number, and which of several with one key is meant. */
import type { App } from '../../../app.ts'
import { type Db, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import { assertValid, lengthError } from '../../../validation.ts'
import { keyError, scopeError, valueError } from './rules.ts'
import { sealedFor } from './stored.service.ts'
import {
  countVariables,
  insertVariable,
  updateVariable,
  type VariableColumns,
  type VariablePlace,
  type VariableRow,
  variablesNamed,
} from './variables.queries.ts'

/** A variable as sent, with its value in the clear; absent fields get their defaults, or are kept. */
export type VariableInput = Partial<Omit<VariableColumns, 'key'>>

const maxOf = { project: 8_000, group: 30_000, instance: 1_000 } as const
const words = { project: 'Variable', group: 'GroupVariable', instance: 'InstanceVariable' } as const

function kindOf(place: VariablePlace): keyof typeof maxOf {
  if (place === 'instance') return place
  return 'project_id' in place ? 'project' : 'group'
}

/**
 * Throws 404 if there is none with this key, and 409 if there are several and no scope selects one.
 * @param scope environment scope of the wanted one; null if it must be the only one
 */
export async function findVariable(db: Db, place: VariablePlace, key: string, scope: string | null): Promise<VariableRow> {
  const [found, another] = key.includes('\0') ? [] : await variablesNamed(db, place, key, scope)
  if (!found) throw notFound(words[kindOf(place)])
  if (another) {
    throw new Failure('conflict', "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'")
  }
  return found
}

/** Throws 400 for an invalid or taken key, an invalid value, and if the place has the maximum number. */
export async function createVariable(
  app: App,
  place: VariablePlace,
  { key: sent, ...input }: VariableInput & { key: string },
): Promise<VariableRow> {
  const key = sent.trim()
  const { value = '', kind = 'env_var', masked = false, hidden = false, raw = false, environment_scope = '*', description = null } = input
  assertValid({
    key: keyError(key),
    value: valueError(value, { masked, raw }),
    environment_scope: scopeError(environment_scope),
    description: lengthError(description ?? undefined, 255),
  })
  const max = maxOf[kindOf(place)]
  if ((await countVariables(app.db, place)) >= max) {
    throw invalid({ base: [`Maximum number of ${kindOf(place)} ci variables (${max}) exceeded`] })
  }
  const at = now()
  return saying(key, () =>
    insertVariable(app.db, place, {
      key,
      value: app.secrets.seal(value, sealedFor),
      kind,
      protected: input.protected ?? false,
      masked,
      hidden,
      raw,
      environment_scope,
      description,
      created_at: at,
      updated_at: at,
    }),
  )
}

/**
 * Fields that aren't sent are kept. Throws 400 as `createVariable` does, and for a hidden variable that would become visible; 404 if it was
 * deleted.
 */
export async function changeVariable(app: App, row: VariableRow, { value, ...input }: VariableInput): Promise<VariableRow> {
  const after = { ...row, ...input }
  if (row.hidden && !after.masked) throw invalid({ base: ['The visibility setting cannot be changed for masked and hidden variables.'] })
  const clear = value ?? app.secrets.unseal(row.value, sealedFor)
  assertValid({
    value: valueError(clear, after),
    environment_scope: scopeError(after.environment_scope),
    description: lengthError(after.description ?? undefined, 255),
  })
  const sealed = value === undefined ? row.value : app.secrets.seal(value, sealedFor)
  const changed = await saying(row.key, () => updateVariable(app.db, row.id, { ...input, value: sealed, updated_at: now() }))
  if (!changed) throw notFound(words[row.project_id === null ? (row.namespace_id === null ? 'instance' : 'group') : 'project'])
  return changed
}

/** Its value in the clear; null for a hidden one, which is never shown again. */
export function openValue({ secrets }: App, { value, hidden }: VariableRow): string | null {
  return hidden ? null : secrets.unseal(value, sealedFor)
}

/** Runs the work; throws 400 if the key is taken in this scope. */
async function saying<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid({ key: [`(${key}) has already been taken`] }, error)
    throw error
  }
}
