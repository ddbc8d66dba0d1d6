/** Changes push rules: what their fields may be, and who hears of it. */
import type { Kysely } from 'kysely'
import { compileRegex } from '../../../ci/text/regex.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { PushRule, Tables } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { CredentialHolder, PushRuleChanged } from '../../../domain-events/security-events.ts'
import { Failure, missing } from '../../../failure.ts'
import { assertValid } from '../../../validation.ts'
import { maxInstructions } from './commit-checks.ts'
import { deleteRule, insertRule, type PushRuleChange, type PushRulePlace, ruleOf, updateRule } from './push-rules.queries.ts'

const maxRegex_chars = { short: 511, long: 1_000 } as const
/** In MiB: far beyond what git takes. */
const maxSize = 1_000_000

export const regexFields = {
  commit_message_regex: 'short',
  commit_message_negative_regex: 'long',
  branch_name_regex: 'short',
  author_email_regex: 'short',
  file_name_regex: 'short',
} as const satisfies Partial<Record<keyof PushRule, keyof typeof maxRegex_chars>>

type RegexField = keyof typeof regexFields

/** As sent: null and an empty text take an expression away, and what isn't there is kept. */
export type SentPushRule = { [K in keyof PushRuleChange]?: PushRuleChange[K] | undefined | (K extends RegexField ? null : never) }

/** Throws 422 if the place has rules already, and 400 for an expression that RE2 doesn't take, or that is too large. */
export function createPushRule(db: Kysely<Tables>, place: PushRulePlace, sent: SentPushRule): Promise<PushRule> {
  const fields = accepted(sent)
  return inTransaction(db, async (tx) => {
    const after = await insertRule(tx, place, fields).catch(refuseSecond)
    await tell(tx, 'created', null, after)
    return after
  })
}

/** Throws 404 if the place has none, and 400 as `createPushRule` does. */
export function changePushRule(db: Kysely<Tables>, place: PushRulePlace, sent: SentPushRule): Promise<PushRule> {
  const fields = accepted(sent)
  return inTransaction(db, async (tx) => {
    const before = await ruleOf(tx, place)
    const after = before && (await updateRule(tx, before.id, fields))
    if (!after) throw missing()
    await tell(tx, 'changed', before, after)
    return after
  })
}

/** Creates them if the place has none. Throws 400 as `createPushRule` does. */
export async function savePushRule(db: Kysely<Tables>, place: PushRulePlace, sent: SentPushRule): Promise<PushRule> {
  return (await ruleOf(db, place)) ? changePushRule(db, place, sent) : createPushRule(db, place, sent)
}

/** Succeeds even if they were already removed. */
export function removePushRule(db: Kysely<Tables>, { id }: PushRule): Promise<void> {
  return inTransaction(db, async (tx) => {
    const before = await deleteRule(tx, id)
    if (before) await tell(tx, 'removed', before, null)
  })
}

function tell(tx: Tx, act: PushRuleChanged['act'], before: PushRule | null, after: PushRule | null): Promise<void> {
  return publish(tx, { type: 'push_rule_changed', of: holderOf(after ?? before), act, before, after })
}

function holderOf(rule: PushRule | null): CredentialHolder {
  if (rule?.project_id) return { project_id: rule.project_id }
  return rule?.group_id ? { namespace_id: rule.group_id } : 'instance'
}

function accepted(sent: SentPushRule): PushRuleChange {
  const regexes = Object.keys(regexFields) as RegexField[]
  const errors = regexes.map((name) => [name, regexError(sent[name] ?? '', maxRegex_chars[regexFields[name]])] as const)
  const { max_file_size } = sent
  const isSize = max_file_size === undefined || (max_file_size >= 0 && max_file_size <= maxSize)
  assertValid({ ...Object.fromEntries(errors), max_file_size: isSize ? null : `must be from 0 to ${maxSize}` })
  const fields = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, value ?? ''] as const]))
  return Object.fromEntries(fields)
}

function regexError(text: string, max_chars: number): string | null {
  if (text === '') return null
  if (text.length > max_chars) return `is too long (maximum is ${max_chars} characters)`
  const compiled = compileRegex(text)
  if (!compiled) return 'is not a regular expression in the syntax of RE2, or is too large'
  return compiled.programSize() > maxInstructions ? 'is too large' : null
}

function refuseSecond(error: unknown): never {
  if (isUniqueViolation(error)) throw new Failure('unprocessable', 'Push rules exist already: change them instead')
  throw error
}
