/** Presents rules of approval to a viewer, who may not see all groups that they name. */
import type { Static } from 'typebox'
import { accessLevels } from '../../../access/levels.ts'
import type { Viewer } from '../../../access/visible.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import type { ApprovalSettings } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { fullNamesOf } from '../../namespaces/namespaces.ts'
import type { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import { branchRulesOf, presentBranchRule } from '../../repository/protected-refs/protected-refs.ts'
import { avatarUrl } from '../../storage/avatars/avatars.ts'
import type { NamingRule, ShownRule } from './approval-rules.queries.ts'
import type { ApprovalSetting, ApprovalState, ProjectApprovalRule, ProjectApprovals, RequestApprovalRule } from './approval-rules.schema.ts'
import type { ApplyingRule, RequestFacts } from './approval-state.service.ts'
import { shownTo } from './hidden-groups.ts'
import { type ApprovedProject, activeAmong, approversAmong, membersOfGroups, type NamedGroup } from './people.queries.ts'
import { type ApprovalSettingsWithin, isLocked } from './settings.queries.ts'

interface Known {
  users: Map<number, UserInBrief>
  groups: NamedGroup[]
  fullNames: Map<number, string>
}

/** Limit of shown users who can approve, for a rule and for all rules together. */
const maxShown = 1_000
const maxShownInAll = 10_000

/** The users whom a rule names, or a group of it, by rule. One statement. */
async function namedBy(app: App, rules: NamingRule[]): Promise<Map<number, number[]>> {
  const members = await membersOfGroups(app.db, [...new Set(rules.flatMap(({ group_ids }) => group_ids))])
  return new Map(
    rules.map(({ id, user_ids, group_ids }) => [id, [...new Set([...user_ids, ...group_ids.flatMap((one) => members.get(one) ?? [])])]]),
  )
}

/** The named users of each rule who can approve at present. Three statements, and two for every thousand users. */
export async function eligibleOf(app: App, project: ApprovedProject, rules: NamingRule[]): Promise<Map<number, number[]>> {
  const named = await namedBy(app, rules)
  const people = await approversAmong(app.db, project, [...new Set([...named.values()].flat())])
  const isAble = (id: number) => people.get(id)?.mayAct === true && (people.get(id)?.level ?? 0) >= accessLevels.reporter
  return new Map(rules.map(({ id }) => [id, (named.get(id) ?? []).filter(isAble).sort((a, b) => a - b)]))
}

async function known(app: App, groups: NamedGroup[], rules: ShownRule[], others: readonly number[]): Promise<Known> {
  return {
    users: await usersInBrief(app.db, [...rules.flatMap(({ user_ids }) => user_ids), ...others]),
    groups,
    fullNames: await fullNamesOf(
      app.db,
      groups.map(({ id }) => id),
    ),
  }
}

/** The eligible users that are shown, by rule, and what the rules name. */
async function shownOf(app: App, project: ApprovedProject, viewer: Viewer, rules: NamingRule[]) {
  const eligible = await eligibleOf(app, project, rules)
  return shownAmong(app, viewer, rules, ({ id }) => eligible.get(id) ?? [])
}

/** @param others further users to be presented */
async function shownAmong<R extends ShownRule>(
  app: App,
  viewer: Viewer,
  rules: R[],
  eligibleOf: (rule: R) => readonly number[],
  others: readonly number[] = [],
) {
  const { groups, toldOf } = await shownTo(app.db, viewer, rules)
  const eligible = new Map<number, readonly number[]>()
  let left = maxShownInAll
  for (const rule of rules) {
    const shown = toldOf(rule, eligibleOf(rule)).slice(0, Math.min(maxShown, left))
    eligible.set(rule.id, shown)
    left -= shown.length
  }
  return { eligible, things: await known(app, groups, rules, [...[...eligible.values()].flat(), ...others]) }
}

export async function presentProjectRules(
  app: App,
  project: ApprovedProject,
  viewer: Viewer,
  rules: NamingRule[],
): Promise<Array<Presented<typeof ProjectApprovalRule>>> {
  const { eligible, things } = await shownOf(app, project, viewer, rules)
  const branchRules = await branchRulesOf(app.db, project.id)
  return rules.map((rule) =>
    Object.assign(presentCommon(app, rule, eligible.get(rule.id), things), {
      protected_branches: branchRules.filter(({ id }) => rule.protected_branch_ids.includes(id)).map(presentBranchRule),
      applies_to_all_protected_branches: rule.applies_to_all_protected_branches,
    }),
  )
}

/** Shows all named users whose accounts may act: whether one of them can approve differs from project to project. */
export async function presentGroupRules(
  app: App,
  viewer: Viewer,
  rules: NamingRule[],
): Promise<Array<Presented<typeof ProjectApprovalRule>>> {
  const named = await namedBy(app, rules)
  const active = await activeAmong(app.db, [...new Set([...named.values()].flat())])
  const { eligible, things } = await shownAmong(app, viewer, rules, ({ id }) => (named.get(id) ?? []).filter((one) => active.has(one)))
  return rules.map((rule) =>
    Object.assign(presentCommon(app, rule, eligible.get(rule.id), things), {
      protected_branches: [],
      applies_to_all_protected_branches: rule.applies_to_all_protected_branches,
    }),
  )
}

export async function presentRequestRules(
  app: App,
  project: ApprovedProject,
  viewer: Viewer,
  rules: Array<NamingRule & { source: NamingRule | null }>,
): Promise<Array<Presented<typeof RequestApprovalRule>>> {
  const { eligible, things } = await shownOf(app, project, viewer, rules)
  return rules.map((rule) => Object.assign(presentCommon(app, rule, eligible.get(rule.id), things), presentSource(rule.source)))
}

/** Every rule that applies, and whether it has its approvals. */
export async function presentState(app: App, viewer: Viewer, { state }: RequestFacts): Promise<Presented<typeof ApprovalState>> {
  const eligibles = new Map(state.rules.map(({ rule, eligible }) => [rule, eligible]))
  const { eligible, things } = await shownAmong(
    app,
    viewer,
    state.rules.map(({ rule }) => rule),
    (rule) => eligibles.get(rule) ?? [],
    state.rules.flatMap(({ approvedBy }) => approvedBy),
  )
  return {
    approval_rules_overwritten: state.rules.some(({ rule }) => rule.source !== null),
    rules: state.rules.map(({ rule, approvedBy, left }) =>
      Object.assign(presentCommon(app, rule, eligible.get(rule.id), things), presentSource(rule.source), {
        section: rule.section,
        approved_by: presentPeople(app, things, approvedBy),
        approved: left === 0,
        code_owner: rule.rule_type === 'code_owner',
      }),
    ),
  }
}

function presentSource(source: ApplyingRule['source']) {
  return { source_rule: source && { approvals_required: source.approvals_required }, overridden: source !== null }
}

function presentPeople(app: App, { users }: Known, ids: readonly number[]): Array<Static<typeof UserBrief>> {
  return ids.flatMap((id) => {
    const user = users.get(id)
    return user ? [presentUserBrief(app.config, user)] : []
  })
}

function presentCommon(app: App, rule: ShownRule, eligible: readonly number[] | undefined, things: Known) {
  const groups = things.groups.filter(({ id }) => rule.group_ids.includes(id))
  return {
    id: rule.id,
    name: rule.name,
    rule_type: rule.rule_type,
    report_type: null,
    eligible_approvers: presentPeople(app, things, eligible ?? []),
    approvals_required: rule.approvals_required,
    users: presentPeople(app, things, rule.user_ids),
    groups: groups.map((group) => ({
      id: group.id,
      name: group.name,
      path: group.path,
      description: group.description,
      visibility: group.visibility,
      avatar_url: avatarUrl(app.config, 'group', group),
      web_url: pageUrl(app.config, groupAddress(group.full_path)),
      full_name: things.fullNames.get(group.id) ?? group.name,
      full_path: group.full_path,
      parent_id: group.parent_id,
    })),
    contains_hidden_groups: groups.length < rule.group_ids.length,
  }
}

/** The effective settings. One that a group above demands is locked: a looser value of this place has no effect. */
export function presentSettingsWithin({ above, effective }: ApprovalSettingsWithin): Presented<typeof ApprovalSetting> {
  const shown = (name: keyof ApprovalSettings, value: boolean) => {
    const locked = isLocked(above, name)
    return { value, locked, inherited_from: locked ? ('group' as const) : null }
  }
  const password = shown('require_password_to_approve', effective.require_password_to_approve)
  return {
    allow_author_approval: shown('merge_requests_author_approval', effective.merge_requests_author_approval),
    allow_committer_approval: shown('merge_requests_disable_committers_approval', !effective.merge_requests_disable_committers_approval),
    allow_overrides_to_approver_list_per_merge_request: shown(
      'disable_overriding_approvers_per_merge_request',
      !effective.disable_overriding_approvers_per_merge_request,
    ),
    retain_approvals_on_push: shown('reset_approvals_on', effective.reset_approvals_on === 'never'),
    selective_code_owner_removals: shown('selective_code_owner_removals', effective.selective_code_owner_removals),
    require_password_to_approve: password,
    require_reauthentication_to_approve: password,
  }
}

export function presentSettings(settings: ApprovalSettings, rules: readonly NamingRule[]): Presented<typeof ProjectApprovals> {
  const anybody = rules.find(({ rule_type }) => rule_type === 'any_approver')
  return {
    approvers: [],
    approver_groups: [],
    approvals_before_merge: anybody?.approvals_required ?? 0,
    reset_approvals_on_push: settings.reset_approvals_on !== 'never',
    reset_approvals_on: settings.reset_approvals_on,
    selective_code_owner_removals: settings.selective_code_owner_removals,
    disable_overriding_approvers_per_merge_request: settings.disable_overriding_approvers_per_merge_request,
    merge_requests_author_approval: settings.merge_requests_author_approval,
    merge_requests_disable_committers_approval: settings.merge_requests_disable_committers_approval,
    require_password_to_approve: settings.require_password_to_approve,
    require_reauthentication_to_approve: settings.require_password_to_approve,
  }
}
