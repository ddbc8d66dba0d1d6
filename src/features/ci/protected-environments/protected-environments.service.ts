/** Protects environments: checks what is sent, and changes rules. */
import { accessLevels } from '../../../access/levels.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { environmentTiers } from '../../../ci/plan.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { CiEnvironmentRule, User } from '../../../db/tables.ts'
import { Failure, invalid, missing } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { adminLevel } from './guard.service.ts'
import {
  deleteRules,
  insertProtection,
  insertRules,
  namesIn,
  type Protection,
  type ProtectionPlace,
  type ProtectionRule,
  protectionNamed,
  touchProtection,
  updateRule,
} from './protected-environments.queries.ts'
import { membersAmong } from './standing.queries.ts'

/** A rule as it is sent: a new one, or a change of one with an id. */
export interface SentRule {
  id?: number | undefined
  access_level?: number | undefined
  user_id?: number | undefined
  group_id?: number | undefined
  group_inheritance_type?: number | undefined
  required_approvals?: number | undefined
  _destroy?: boolean | undefined
}

export interface SentProtection {
  deploy_access_levels?: SentRule[] | undefined
  approval_rules?: SentRule[] | undefined
  required_approval_count?: number | undefined
}

type Named = Pick<CiEnvironmentRule, 'access_level' | 'user_id' | 'group_id' | 'group_inheritance_type' | 'required_approvals'>

/** Rules of each kind that an environment may have. */
const maxRules = 100
const roles: readonly number[] = [accessLevels.developer, accessLevels.maintainer, adminLevel]

/**
 * Throws 400 for rules that name nobody, or users who are no members, and without any; 409 if the environment is protected already. Groups
 * protect a tier of environments.
 */
export async function protectEnvironment(
  app: App,
  place: ProtectionPlace,
  by: User,
  { name, ...sent }: SentProtection & { name: string },
): Promise<Protection> {
  assertValid({ name: blankError(name) ?? lengthError(name, 255) ?? ('group_id' in place ? tierError(name) : null) })
  if (sent.deploy_access_levels?.some(({ _destroy }) => !_destroy) !== true) throw invalid({ deploy_access_levels: ["can't be blank"] })
  try {
    await inTransaction(app.db, async (tx) => {
      const { id } = await insertProtection(tx, place, name, sent.required_approval_count ?? 0)
      await changeRules(tx, by, place, { id, rules: [] }, sent)
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Failure('conflict', `Protected environment '${name}' already exists`, { cause: error })
    throw error
  }
  return current(app, place, name)
}

/** Keeps every field that isn't given. Throws 400 as `protectEnvironment`, 404 for a rule of another environment. */
export async function changeProtection(
  app: App,
  place: ProtectionPlace,
  by: User,
  { name }: Protection,
  sent: SentProtection,
): Promise<Protection> {
  await inTransaction(app.db, async (tx) => {
    const before = await protectionNamed(tx, place, name)
    const { required_approval_count } = sent
    if (!before || !(await touchProtection(tx, before.id, required_approval_count === undefined ? {} : { required_approval_count })))
      throw missing()
    await changeRules(tx, by, place, (await protectionNamed(tx, place, name)) ?? before, sent)
  })
  return current(app, place, name)
}

function tierError(name: string): string | null {
  return (environmentTiers as readonly string[]).includes(name) ? null : `must be one of ${environmentTiers.join(', ')}`
}

async function current(app: App, place: ProtectionPlace, name: string): Promise<Protection> {
  const found = await protectionNamed(app.db, place, name)
  if (!found) throw missing()
  return found
}

type Ruled = Pick<Protection, 'id' | 'rules'>

async function changeRules(tx: Tx, by: User, place: ProtectionPlace, protection: Ruled, sent: SentProtection): Promise<void> {
  await changeRulesOf(tx, { by, place, kind: 'deploy' }, protection, sent.deploy_access_levels ?? [])
  await changeRulesOf(tx, { by, place, kind: 'approve' }, protection, sent.approval_rules ?? [])
}

async function changeRulesOf(
  tx: Tx,
  { by, place, kind }: { by: Viewer; place: ProtectionPlace; kind: CiEnvironmentRule['kind'] },
  { id, rules }: Ruled,
  sent: readonly SentRule[],
): Promise<void> {
  const field = kind === 'deploy' ? 'deploy_access_levels' : 'approval_rules'
  const known = new Map(rules.filter((rule) => rule.kind === kind).map((rule) => [rule.id, rule]))
  const fresh: Named[] = []
  for (const one of sent) {
    if (one.id === undefined) {
      if (!one._destroy) fresh.push(named(one, field))
      continue
    }
    const rule = known.get(one.id)
    if (!rule) throw missing()
    if (one._destroy) known.delete(one.id)
    else known.set(one.id, { ...rule, ...changed(rule, one, field) })
  }
  const total = known.size + fresh.length
  if (kind === 'deploy' && total === 0) throw invalid({ [field]: ["can't be blank"] })
  if (total > maxRules) throw invalid({ [field]: [`is too long (maximum is ${maxRules})`] })
  // Whom a rule names that stays as it is may have left since.
  const changedOnes = sent.flatMap(({ id: rule_id }) => known.get(rule_id ?? 0) ?? [])
  await requireKnown(tx, by, place, [...fresh, ...changedOnes], field)
  await deleteRules(
    tx,
    rules.filter((rule) => rule.kind === kind && !known.has(rule.id)).map((rule) => rule.id),
  )
  for (const { id: rule_id } of sent) {
    const rule = known.get(rule_id ?? 0)
    if (rule) await updateRule(tx, rule)
  }
  await insertRules(
    tx,
    fresh.map((rule) => ({ ...rule, kind, protected_environment_id: id })),
  )
}

/** Whom a new rule names: exactly one of a role, a user and a group. */
function named(sent: SentRule, field: string): Named {
  const { access_level, user_id, group_id, group_inheritance_type = 0, required_approvals } = sent
  if ([access_level, user_id, group_id].filter((one) => one !== undefined).length !== 1)
    throw invalid({ [field]: ['must name one of access_level, user_id and group_id'] })
  if (access_level !== undefined && !roles.includes(access_level)) throw invalid({ [field]: ['access_level is not included in the list'] })
  return {
    access_level: access_level ?? null,
    user_id: user_id ?? null,
    group_id: group_id ?? null,
    group_inheritance_type,
    required_approvals: field === 'approval_rules' ? (required_approvals ?? 1) : 0,
  }
}

function changed(rule: ProtectionRule, sent: SentRule, field: string): Named {
  const isNamed = sent.access_level !== undefined || sent.user_id !== undefined || sent.group_id !== undefined
  const { group_inheritance_type = rule.group_inheritance_type, required_approvals = rule.required_approvals } = sent
  if (isNamed) return named({ ...sent, group_inheritance_type, required_approvals: required_approvals || undefined }, field)
  const { access_level, user_id, group_id } = rule
  return {
    access_level,
    user_id,
    group_id,
    group_inheritance_type,
    required_approvals: field === 'approval_rules' ? required_approvals : 0,
  }
}

/** A group that the caller can't see is as good as none. Users must be members, as whoever else is named could never deploy. */
async function requireKnown(tx: Tx, by: Viewer, place: ProtectionPlace, rules: readonly Named[], field: string): Promise<void> {
  const { users, groups } = await namesIn(tx, by, rules)
  const members = await membersAmong(tx, place, [...users.keys()])
  for (const { user_id, group_id } of rules) {
    if (user_id !== null && !users.has(user_id)) throw invalid({ [field]: ['user does not exist'] })
    if (user_id !== null && !members.has(user_id)) throw invalid({ [field]: ['user is not a member'] })
    if (group_id !== null && !groups.has(group_id)) throw invalid({ [field]: ['group does not exist'] })
  }
}
