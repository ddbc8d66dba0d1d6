/** Whether a merge request has the approvals that rules require: a pure function of rules, people and approvals. */
import { accessLevels } from '../../../access/levels.ts'

/** A rule that applies to the merge request. */
export interface RequiringRule {
  approvals_required: number
  /** The users it names, themselves or by groups; null if anybody counts who may approve as a developer. */
  named: ReadonlySet<number> | null
}

export interface Approver {
  /** Whether the account may act: not blocked, for example. */
  mayAct: boolean
  /** The access level in the project; 0 if not a member. */
  level: number
}

export interface ApprovalFacts<R extends RequiringRule> {
  rules: readonly R[]
  /** Users whom rules name, and those who have approved. Others count as strangers. */
  people: ReadonlyMap<number, Approver>
  /** Users who have approved it as it is, in order. */
  approvedBy: readonly number[]
  /** Users whose approval counts for nothing: its author or its committers, as the settings say. */
  barred: ReadonlySet<number>
}

export interface RuleState<R extends RequiringRule> {
  rule: R
  /** Named users whose approval counts at present, in the order of their ids. Empty for a rule that names nobody. */
  eligible: number[]
  approvedBy: number[]
  left: number
  /** False if too few of those it names can approve: then maintainers count for it, too, so that it isn't stuck. */
  isSatisfiable: boolean
}

export interface ApprovalState<R extends RequiringRule> {
  rules: RuleState<R>[]
  required: number
  left: number
  isApproved: boolean
}

export function approvalStateOf<R extends RequiringRule>(facts: ApprovalFacts<R>): ApprovalState<R> {
  const rules = facts.rules.map((rule) => stateOfRule(rule, facts))
  const left = rules.reduce((sum, rule) => sum + rule.left, 0)
  return { rules, required: facts.rules.reduce((sum, rule) => sum + rule.approvals_required, 0), left, isApproved: left === 0 }
}

function stateOfRule<R extends RequiringRule>(rule: R, facts: ApprovalFacts<R>): RuleState<R> {
  const { named, approvals_required } = rule
  const eligible = named === null ? [] : [...named].filter((id) => countsFrom(accessLevels.reporter, id, facts)).sort((a, b) => a - b)
  const isSatisfiable = named === null || eligible.length >= approvals_required
  const counted = new Set(eligible)
  // Too few eligible users would block the merge for good, so maintainers, who could change the rule anyway, may approve then.
  const others = named === null ? accessLevels.developer : isSatisfiable ? null : accessLevels.maintainer
  const approvedBy = facts.approvedBy.filter((id) => counted.has(id) || (others !== null && countsFrom(others, id, facts)))
  return { rule, eligible, approvedBy, left: Math.max(0, approvals_required - approvedBy.length), isSatisfiable }
}

/** Whether the approval of a user counts who needs at least this level. */
function countsFrom<R extends RequiringRule>(level: number, id: number, { people, barred }: ApprovalFacts<R>): boolean {
  const person = people.get(id)
  return person?.mayAct === true && person.level >= level && !barred.has(id)
}
