/** Rules of approval: what other features may use. */
export { eligibleOf } from './approval-rules.present.ts'
export { type NamingRule, rulesOfProject } from './approval-rules.queries.ts'
export {
  changeApprovalSettings,
  changeProjectRule,
  createProjectRule,
  type RuleChange,
  removeProjectRule,
} from './approval-rules.service.ts'
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
export { shownTo } from './hidden-groups.ts'
export { usersOwning } from './owners.queries.ts'
export { type ApprovedProject, usersNamed, visibleGroups as seenGroups } from './people.queries.ts'
export { approvalSettingsOf } from './settings.queries.ts'
export { suggestedReviewers } from './suggested-reviewers.service.ts'
