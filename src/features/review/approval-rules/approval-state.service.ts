/** Reads who must approve a merge request, and who has: the facts of `approvalStateOf`. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { ApprovalSettings, MergeRequest, MergeRequestVersion } from '../../../db/tables.ts'
import { commitAddresses } from '../../../git/history/commit-addresses.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { branchProtectionOf, isProtectedBranch } from '../../repository/protected-refs/protected-refs.ts'
import { type NamingRule, rulesOfMergeRequest, rulesOfProject } from './approval-rules.queries.ts'
import { type ApprovalFacts, type ApprovalState, approvalStateOf, isAwaited, type RequiringRule } from './approval-state.ts'
import { approversAmong, membersOfGroups, ownersOfAddresses, pushersOf } from './people.queries.ts'
import { approvalSettingsOf } from './settings.queries.ts'

/** The target project, as far as levels in it depend on it. */
export type ApprovedProject = Pick<LocatedProject, 'id' | 'namespace_id' | 'namespace_owner_id'>

export interface ApplyingRule extends NamingRule, RequiringRule {
  /** The rule of the project that it replaces. */
  source: NamingRule | null
}

export type RequestState = ApprovalState<ApplyingRule>

/** The rules that apply to a merge request: those of the project for its target, or what it has in their place, and its own. */
export async function rulesFor(
  db: Db,
  merge_request: Pick<MergeRequest, 'id' | 'project_id' | 'target_branch'>,
  settings: ApprovalSettings,
): Promise<Array<NamingRule & { source: NamingRule | null }>> {
  const ofProject = await rulesOfProject(db, merge_request.project_id)
  const own = await rulesOfMergeRequest(db, merge_request.id)
  if (ofProject.length === 0 && own.length === 0) return []
  const protection = await branchProtectionOf(db, merge_request.project_id)
  const branchRules = protection.branches.matching(merge_request.target_branch)
  const applying = ofProject.filter(({ applies_to_all_protected_branches, protected_branch_ids }) => {
    if (applies_to_all_protected_branches) return isProtectedBranch(protection, merge_request.target_branch)
    return protected_branch_ids.length === 0 || branchRules.some(({ id }) => protected_branch_ids.includes(id))
  })
  const replaces = settings.disable_overriding_approvers_per_merge_request
    ? new Map<number, NamingRule>()
    : new Map(own.flatMap((rule) => (rule.source_rule_id === null ? [] : [[rule.source_rule_id, rule] as const])))
  return [
    ...applying.map((rule) => {
      const instead = replaces.get(rule.id)
      return instead ? { ...instead, source: rule } : { ...rule, source: null }
    }),
    ...own.filter(({ source_rule_id }) => source_rule_id === null).map((rule) => ({ ...rule, source: null })),
  ]
}

/** The users whose commits it has, and who pushed them: as far as the settings bar them. One process, cached. */
export async function barredCommitters(
  app: App,
  merge_request: MergeRequest,
  version: MergeRequestVersion | null,
  settings: ApprovalSettings,
): Promise<number[]> {
  if (!settings.merge_requests_disable_committers_approval || !version) return []
  const addresses = await commitAddresses(app.git.open(merge_request.project_id), version.head_oid, version.start_oid)
  return [...(await ownersOfAddresses(app.db, addresses)), ...(await pushersOf(app.db, merge_request, version.id))]
}

export interface RequestFacts {
  facts: ApprovalFacts<ApplyingRule>
  state: RequestState
  settings: ApprovalSettings
}

/** @param committers as `barredCommitters` gives them, since that takes git. Two statements if no rule applies, about ten otherwise. */
export async function approvalFactsOf(
  db: Db,
  project: ApprovedProject,
  merge_request: MergeRequest,
  committers: readonly number[],
  settings?: ApprovalSettings,
): Promise<RequestFacts> {
  const known = settings ?? (await approvalSettingsOf(db, merge_request.project_id))
  const found = await rulesFor(db, merge_request, known)
  // Without a rule nobody has to approve it, so who has is not read.
  const approvedBy = found.length === 0 ? [] : await peopleIds(db, 'approvals', merge_request.id)
  const members = await membersOfGroups(db, [...new Set(found.flatMap(({ group_ids }) => group_ids))])
  const rules = found.map((rule): ApplyingRule => {
    const named = [...rule.user_ids, ...rule.group_ids.flatMap((id) => members.get(id) ?? [])]
    return { ...rule, named: rule.rule_type === 'any_approver' ? null : new Set(named) }
  })
  const people =
    rules.length === 0
      ? new Map()
      : await approversAmong(db, project, [...new Set([...approvedBy, ...rules.flatMap(({ named }) => [...(named ?? [])])])])
  const barred = new Set(known.merge_requests_author_approval ? committers : [merge_request.author_id, ...committers])
  const facts = { rules, people, approvedBy, barred }
  return { facts, state: approvalStateOf(facts), settings: known }
}

/** As `approvalFactsOf`, with the committers of a version. */
export async function approvalsNeeded(
  app: App,
  project: ApprovedProject,
  merge_request: MergeRequest,
  version: MergeRequestVersion | null,
): Promise<RequestFacts> {
  const settings = await approvalSettingsOf(app.db, merge_request.project_id)
  return approvalFactsOf(app.db, project, merge_request, await barredCommitters(app, merge_request, version, settings), settings)
}

/** Whether a rule that still needs approvals would count that of the user, who may have no right to edit the merge request. */
export function isNamedApprover({ facts, state }: RequestFacts, userId: number): boolean {
  return state.rules.some(({ rule }) => rule.named?.has(userId)) && isAwaited(state, facts, userId)
}
