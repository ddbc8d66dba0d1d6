/** Rules of approval: what other features may use. */
export { eligibleOf } from './approval-rules.present.ts'
export { inRuledPlace, type NamingRule, type RuledPlace, rulesAtProject, rulesOfGroup, rulesOfProject } from './approval-rules.queries.ts'
export {
  changeProjectRule,
  createProjectRule,
  type RuleChange,
  removeProjectRule,
} from './approval-rules.service.ts'
export { changeApprovalSettings, changeGroupApprovalSettings } from './approval-settings.service.ts'
export {
  type ApplyingRule,
  approvalFactsOf,
  approvalsNeeded,
  approvalsNeededNow,
  type GitFacts,
  gitFactsOf,
  type RequestFacts,
  type RequestState,
} from './approval-state.service.ts'
export { groupApprovalsManaged, groupApprovalsSeen } from './group-rules.access.ts'
export { changeGroupRule, createGroupRule, removeGroupRule } from './group-rules.service.ts'
export { shownTo } from './hidden-groups.ts'
export { usersOwning } from './owners.queries.ts'
export { type ApprovedProject, usersCalled, usersNamed, visibleGroups as seenGroups } from './people.queries.ts'
export { approvalSettingsOf, approvalSettingsWithin, groupApprovalSettings, isLocked } from './settings.queries.ts'
export { suggestedReviewers } from './suggested-reviewers.service.ts'
