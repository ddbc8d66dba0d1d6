/** Parts of the pages with approval settings that are the same for projects and groups. */
import { Type } from 'typebox'
import { findGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { ApprovalSettings, User } from '../../../db/tables.ts'
import { invalid, nullIfMissing } from '../../../failure.ts'
import { usersInBrief } from '../../../features/people/users/users.ts'
import { type NamingRule, seenGroups } from '../../../features/review/approval-rules/approval-rules.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import type { Typed } from '../../frame/declaration.ts'
import { checkbox, problemsOf, radios } from '../../frame/forms.ts'
import type { ShownRule } from './rules-view.ts'
import { resets, sentences } from './sentences.ts'

const flag = Type.Boolean({ default: false })

export const settingsForm = {
  merge_requests_author_approval: flag,
  merge_requests_disable_committers_approval: flag,
  disable_overriding_approvers_per_merge_request: flag,
  require_password_to_approve: flag,
  reset_approvals_on: oneOf('change', 'push', 'never'),
  selective_code_owner_removals: flag,
}

const asText = (value: boolean): 'true' | 'false' => (value ? 'true' : 'false')

export function settingsFields(settings: ApprovalSettings, typed: Typed): Html {
  return html`
    ${problemsOf(typed.errors, [])}
    ${checkbox(sentences.author, 'merge_requests_author_approval', typed, { value: asText(settings.merge_requests_author_approval) })}
    ${checkbox(sentences.committers, 'merge_requests_disable_committers_approval', typed, {
      value: asText(settings.merge_requests_disable_committers_approval),
    })}
    ${checkbox(sentences.noReplacing, 'disable_overriding_approvers_per_merge_request', typed, {
      value: asText(settings.disable_overriding_approvers_per_merge_request),
      hint: sentences.noReplacingHint,
    })}
    ${checkbox(sentences.password, 'require_password_to_approve', typed, { value: asText(settings.require_password_to_approve) })}
    ${radios(t`What takes approvals away`, 'reset_approvals_on', typed, resets(), settings.reset_approvals_on)}
    ${checkbox(sentences.selective, 'selective_code_owner_removals', typed, {
      value: asText(settings.selective_code_owner_removals),
      hint: sentences.selectiveHint,
    })}
  `
}

/** @param isSatisfiable whether enough of those whom it names can approve at present */
export async function shownRules(
  app: App,
  user: User,
  rules: readonly NamingRule[],
  isSatisfiable: (rule: NamingRule) => boolean,
): Promise<ShownRule[]> {
  const users = await usersInBrief(
    app.db,
    rules.flatMap(({ user_ids }) => user_ids),
  )
  const groups = await seenGroups(app.db, user, [...new Set(rules.flatMap(({ group_ids }) => group_ids))])
  return rules.map((rule) => ({
    rule,
    users: rule.user_ids.flatMap((id) => users.get(id) ?? []),
    groups: groups.filter(({ id }) => rule.group_ids.includes(id)).map(({ full_path }) => full_path),
    isSatisfiable: rule.rule_type === 'any_approver' || isSatisfiable(rule),
  }))
}

export const wordsOf = (text: string) => [
  ...new Set(
    text
      .split(/[,\s]+/)
      .map((word) => word.replace(/^@/, ''))
      .filter((word) => word !== ''),
  ),
]

/** Throws 400 for unknown groups: with a mistyped name, nobody could approve by the rule. */
export async function groupsCalled(app: App, user: User, text: string): Promise<number[]> {
  const groups = await Promise.all(
    wordsOf(text).map(async (path) => ({ path, found: await findGroup(app.db, path, user).catch(nullIfMissing) })),
  )
  const lost = groups.filter((one) => one.found === null).map(({ path }) => path)
  if (lost.length > 0) throw invalid({ groups: [sentences.unknownGroups(lost)] })
  return groups.flatMap((one) => one.found?.group.id ?? [])
}
