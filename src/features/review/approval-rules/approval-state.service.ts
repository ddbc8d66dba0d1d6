/** Reads who must approve a merge request, and who has: the facts of `approvalStateOf`. */
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { ApprovalSettings, MergeRequest, MergeRequestVersion } from '../../../db/tables.ts'
import { commitAddresses } from '../../../git/history/commit-addresses.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { branchProtectionOf, isProtectedBranch } from '../../repository/protected-refs/protected-refs.ts'
import { currentVersion } from '../versions/versions.ts'
import { type NamingRule, rulesAtProject, rulesOfMergeRequest, type ShownRule } from './approval-rules.queries.ts'
import { type ApprovalFacts, type ApprovalState, approvalStateOf, type RequiringRule } from './approval-state.ts'
import { type CodeOwnerRule, codeOwnerRules } from './code-owner-rules.service.ts'
import { type ApprovedProject, approversAmong, membersOfGroups, ownersOfAddresses, pushersOf } from './people.queries.ts'
import { approvalSettingsOf } from './settings.queries.ts'

export interface ApplyingRule extends ShownRule, RequiringRule {
  /** The rule of the project that it replaces. */
  source: NamingRule | null
  /** The section of the CODEOWNERS file. */
  section: string | null
}

export type RequestState = ApprovalState<ApplyingRule>

/** The rules that apply to a merge request: of the project and its groups for its target, or what it has in their place, and its own. */
export async function rulesFor(
  db: Db,
  merge_request: Pick<MergeRequest, 'id' | 'project_id' | 'target_branch'>,
  settings: ApprovalSettings,
): Promise<Array<NamingRule & { source: NamingRule | null }>> {
  const ofPlaces = await rulesAtProject(db, merge_request.project_id)
  const own = await rulesOfMergeRequest(db, merge_request.id)
  if (ofPlaces.length === 0 && own.length === 0) return []
  const protection = await branchProtectionOf(db, merge_request.project_id)
  const branchRules = protection.branches.matching(merge_request.target_branch)
  const applying = ofPlaces.filter(({ applies_to_all_protected_branches, protected_branch_ids }) => {
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
async function barredCommitters(
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
  git: GitFacts
}

/** Facts that only git knows, so callers choose whether to pay for them. */
export interface GitFacts {
  /** As `barredCommitters` gives them. */
  committers: readonly number[]
  owners: readonly CodeOwnerRule[]
}

/** Two statements if no rule applies, about ten otherwise. */
export async function approvalFactsOf(
  db: Db,
  project: ApprovedProject,
  merge_request: MergeRequest,
  { committers, owners }: GitFacts,
  settings?: ApprovalSettings,
): Promise<RequestFacts> {
  const known = settings ?? (await approvalSettingsOf(db, merge_request.project_id))
  const stored = await rulesFor(db, merge_request, known)
  const found = [...stored.map((rule) => ({ ...rule, section: null })), ...owners.map((rule) => ({ ...rule, source: null }))]
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
  // A file may name anybody; who has no access is not told of.
  for (const rule of rules)
    if (rule.rule_type === 'code_owner') rule.user_ids = rule.user_ids.filter((id) => (people.get(id)?.level ?? 0) >= accessLevels.reporter)
  const barred = new Set(known.merge_requests_author_approval ? committers : [merge_request.author_id, ...committers])
  const facts = { rules, people, approvedBy, barred }
  return { facts, state: approvalStateOf(facts), settings: known, git: { committers, owners } }
}

/** The committers of a version, as far as they are barred, and the code owners of what it changes. */
export async function gitFactsOf(
  app: App,
  project: ApprovedProject,
  merge_request: MergeRequest,
  version: MergeRequestVersion | null,
  settings: ApprovalSettings,
): Promise<GitFacts> {
  const committers = await barredCommitters(app, merge_request, version, settings)
  return { committers, owners: await codeOwnerRules(app, project, merge_request, version) }
}

/** As `approvalFactsOf`, with what git knows of a version. */
export async function approvalsNeeded(
  app: App,
  project: ApprovedProject,
  merge_request: MergeRequest,
  version: MergeRequestVersion | null,
): Promise<RequestFacts> {
  const settings = await approvalSettingsOf(app.db, merge_request.project_id)
  return approvalFactsOf(app.db, project, merge_request, await gitFactsOf(app, project, merge_request, version, settings), settings)
}

/** As `approvalsNeeded`, for what was last pushed. */
export async function approvalsNeededNow(app: App, project: ApprovedProject, known: MergeRequest): Promise<RequestFacts> {
  const current = await currentVersion(app, known)
  return approvalsNeeded(app, project, current?.merge_request ?? known, current?.version ?? null)
}
