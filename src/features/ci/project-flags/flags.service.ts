/** The rules of feature flags: their names, and for whom they are on. */
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { ProjectFlag } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { invalid, missing } from '../../../failure.ts'
import { assertValid, lengthError } from '../../../validation.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { serveChanged } from './clients.service.ts'
import {
  countFlags,
  deleteFlag,
  deleteScopes,
  deleteStrategies,
  flagNamed,
  insertFlag,
  insertScopes,
  insertStrategy,
  type StrategyOfFlag,
  updateFlag,
  updateScope,
  updateStrategy,
  type WholeFlag,
  withStrategies,
} from './flags.queries.ts'
import { flagNameError, parametersError, type StrategyName, scopeError } from './strategies.ts'
import { hasUserList } from './user-lists.queries.ts'

/** An environment of a strategy as it is sent: with an id, one that is there. */
export interface ScopeInput {
  id?: number | undefined
  environment_scope?: string | undefined
  _destroy?: boolean | undefined
}

/** A strategy as it is sent: with an id, one that is there, of which what isn't sent stays. */
export interface StrategyInput {
  id?: number | undefined
  name?: StrategyName | undefined
  parameters?: Readonly<Record<string, unknown>> | undefined
  user_list_id?: number | null | undefined
  scopes?: readonly ScopeInput[] | undefined
  _destroy?: boolean | undefined
}

export interface FlagInput {
  name: string
  description: string
  active: boolean
  strategies: readonly StrategyInput[]
}

const maxFlags = 1_000
const maxStrategies = 50
const maxScopes = 50

/** Throws 400 for a name that is taken, and for a strategy that can't be. */
export async function createFlag(app: App, project_id: number, { name, description, active, strategies }: FlagInput): Promise<WholeFlag> {
  check({ name, description })
  try {
    return await inTransaction(app.db, async (tx) => {
      await loadLockedProject(tx, project_id)
      if ((await countFlags(tx, project_id)) >= maxFlags)
        throw invalid({ base: [`Maximum number of feature flags (${maxFlags}) exceeded`] })
      const at = now()
      const flag = await insertFlag(tx, { project_id, name, description, active, created_at: at, updated_at: at })
      await writeStrategies(tx, { ...flag, strategies: [] }, strategies)
      await serveChanged(tx, project_id)
      await tell(tx, 'project_flag_created', flag)
      return whole(tx, flag)
    })
  } catch (error) {
    throw taken(error)
  }
}

/** Keeps every field that isn't given, strategies too. Throws 400 as `createFlag`, 404 if it has been deleted meanwhile. */
export async function changeFlag(app: App, flag: ProjectFlag, changes: Partial<FlagInput>): Promise<WholeFlag> {
  const { strategies = [], ...fields } = changes
  check({ ...flag, ...fields })
  try {
    return await inTransaction(app.db, async (tx) => {
      await loadLockedProject(tx, flag.project_id)
      const changed = await updateFlag(tx, flag.id, { ...fields, updated_at: now() })
      if (!changed) throw missing()
      await writeStrategies(tx, await whole(tx, changed), strategies)
      await serveChanged(tx, flag.project_id)
      await tell(tx, 'project_flag_changed', changed)
      return whole(tx, changed)
    })
  } catch (error) {
    throw taken(error)
  }
}

/** Returns it as it was. Throws 404 where it has been deleted meanwhile. */
export async function removeFlag(app: App, flag: ProjectFlag): Promise<WholeFlag> {
  return inTransaction(app.db, async (tx) => {
    const before = await whole(tx, flag)
    if (!(await deleteFlag(tx, flag.id))) throw missing()
    await serveChanged(tx, flag.project_id)
    await tell(tx, 'project_flag_removed', flag)
    return before
  })
}

/** Throws 404 where the project has none of this name. */
export async function getFlag(app: App, project_id: number, name: string): Promise<ProjectFlag> {
  const flag = await flagNamed(app.db, project_id, name)
  if (!flag) throw missing()
  return flag
}

async function writeStrategies(tx: Tx, flag: WholeFlag, sent: readonly StrategyInput[]): Promise<void> {
  const known = new Map(flag.strategies.map((strategy) => [strategy.id, strategy]))
  const removed = sent.filter(({ _destroy }) => _destroy === true).map(({ id }) => required(known, id).id)
  if (known.size - removed.length + sent.filter(({ id }) => id === undefined).length > maxStrategies)
    throw invalid({ strategies: [`are too many (maximum is ${maxStrategies})`] })
  await deleteStrategies(tx, removed)
  for (const one of sent.filter(({ _destroy }) => _destroy !== true))
    await writeStrategy(tx, flag, one.id === undefined ? null : required(known, one.id), one)
}

function required(known: ReadonlyMap<number, StrategyOfFlag>, id: number | undefined): StrategyOfFlag {
  const found = known.get(id ?? 0)
  if (!found) throw invalid({ strategies: [`have no strategy with the id ${id}`] })
  return found
}

async function writeStrategy(tx: Tx, flag: WholeFlag, before: StrategyOfFlag | null, sent: StrategyInput): Promise<void> {
  const name = sent.name ?? before?.name
  if (name === undefined) throw invalid({ strategies: ['name is missing'] })
  // Parameters of another strategy would make no sense.
  const kept = before?.name === name ? before : null
  const parameters = sent.parameters ?? kept?.parameters ?? {}
  const problem = parametersError(name, parameters)
  if (problem !== null) throw invalid({ strategies: [`parameters of ${name}: ${problem}`] })
  const user_list_id = name === 'gitlabUserList' ? (sent.user_list_id ?? kept?.user_list_id ?? null) : null
  if (name === 'gitlabUserList' && (user_list_id === null || !(await hasUserList(tx, flag.project_id, user_list_id))))
    throw invalid({ strategies: ['user list is not one of the project'] })
  const row = { name, parameters: JSON.stringify(parameters), user_list_id }
  if (before === null) return writeScopes(tx, await insertStrategy(tx, flag.id, row), [], sent.scopes ?? [{ environment_scope: '*' }])
  await updateStrategy(tx, before.id, row)
  await writeScopes(tx, before.id, before.scopes, sent.scopes ?? [])
}

async function writeScopes(tx: Tx, strategy_id: number, before: StrategyOfFlag['scopes'], sent: readonly ScopeInput[]): Promise<void> {
  const scopes = new Map(before.map(({ id, environment_scope }) => [id, environment_scope]))
  const added: string[] = []
  for (const { id, environment_scope, _destroy } of sent) {
    if (id !== undefined && !scopes.has(id)) throw invalid({ strategies: [`have no scope with the id ${id}`] })
    if (_destroy === true && id !== undefined) scopes.delete(id)
    else if (id === undefined) added.push(environment_scope ?? '*')
    else if (environment_scope !== undefined) scopes.set(id, environment_scope)
  }
  const all = [...scopes.values(), ...added]
  const problem = all.map(scopeError).find((error) => error !== null)
  if (problem) throw invalid({ strategies: [`environment scope ${problem}`] })
  if (new Set(all).size < all.length) throw invalid({ strategies: ['have an environment scope twice'] })
  if (all.length > maxScopes) throw invalid({ strategies: [`have too many scopes (maximum is ${maxScopes})`] })
  await deleteScopes(
    tx,
    before.filter(({ id }) => !scopes.has(id)).map(({ id }) => id),
  )
  for (const { id, environment_scope } of before) {
    const wanted = scopes.get(id)
    if (wanted !== undefined && wanted !== environment_scope) await updateScope(tx, id, wanted)
  }
  await insertScopes(tx, strategy_id, added)
}

async function whole(tx: Tx, flag: ProjectFlag): Promise<WholeFlag> {
  const [found] = await withStrategies(tx, [flag])
  return found as WholeFlag
}

function check({ name, description }: Pick<FlagInput, 'name' | 'description'>): void {
  assertValid({ name: flagNameError(name), description: lengthError(description, 5_000) })
}

function taken(error: unknown): unknown {
  return isUniqueViolation(error) ? invalid({ name: ['has already been taken'] }, error) : error
}

function tell(
  tx: Tx,
  type: EventOf<'project_flag_created' | 'project_flag_changed' | 'project_flag_removed'>['type'],
  { project_id, id, name, active }: ProjectFlag,
): Promise<void> {
  return publish(tx, { type, project_id, flag_id: id, name, active })
}
