/** Evaluates rules, `only` and `except`. */
import type { Policy, Rule } from '../config/config.types.ts'
import { isTrue } from '../expressions/expressions.ts'
import type { PlanContext } from '../plan.ts'
import { splitRefPattern } from '../text/ref-patterns.ts'
import { expand, type Lookup } from '../text/variables.ts'
import type { Facts } from './facts.ts'

/** The first rule whose conditions all hold; a rule without conditions always matches. */
export function matchingRule(rules: Rule[], facts: Facts, lookup: Lookup): Rule | null {
  return rules.find((rule) => matches(rule, facts, lookup)) ?? null
}

function matches(rule: Rule, facts: Facts, lookup: Lookup): boolean {
  if (rule.if && !isTrue(rule.if, { lookup, patterns: facts.patterns })) return false
  if (rule.changes && !facts.changed(expandAll(rule.changes.paths, lookup), rule.changes.compare_to)) return false
  return !rule.exists || facts.exists(expandAll(rule.exists, lookup))
}

const expandAll = (globs: string[], lookup: Lookup) => globs.map((glob) => expand(glob, lookup).replace(/^\.?\//, ''))

/** Whether a job is included: all conditions of `only` must hold, and none of `except`. */
export function isLetIn(only: Policy | null, except: Policy | null, context: PlanContext, facts: Facts, lookup: Lookup): boolean {
  const conditions = (policy: Policy) => conditionsOf(policy, context, facts, lookup)
  return (!only || conditions(only).every(Boolean)) && !(except && conditions(except).some(Boolean))
}

function conditionsOf({ refs, variables, changes, kubernetes }: Policy, context: PlanContext, facts: Facts, lookup: Lookup): boolean[] {
  const found: boolean[] = []
  if (refs) found.push(refs.some((ref) => isRef(ref, context, facts)))
  if (variables) found.push(variables.some((expression) => isTrue(expression, { lookup, patterns: facts.patterns })))
  if (changes) found.push(facts.changed(expandAll(changes, lookup), null))
  if (kubernetes) found.push(false)
  return found
}

/** The keyword in `only` for a pipeline source, besides the source's own name and its plural. */
const sourceWords: Record<string, string> = { merge_requests: 'merge_request_event', external_pull_requests: 'external_pull_request_event' }

function isRef(pattern: string, { ref, ref_kind, source, project_path }: PlanContext, { patterns }: Facts): boolean {
  const wanted = splitRefPattern(pattern)
  if (wanted.project !== null && wanted.project !== project_path) return false
  if (wanted.ref === 'branches') return ref_kind === 'branch'
  if (wanted.ref === 'tags') return ref_kind === 'tag'
  if (wanted.ref === source || wanted.ref === plural(source) || sourceWords[wanted.ref] === source) return true
  // Names of branches don't apply to merge requests.
  if (ref_kind === 'merge_request') return false
  return wanted.ref.startsWith('/') ? patterns.isFound(wanted.ref, ref) : wanted.ref === ref
}

const plural = (source: string) => (source === 'push' ? 'pushes' : `${source}s`)
