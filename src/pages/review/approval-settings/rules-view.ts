/** The rules of approval of a project or a group, and the forms that create and change them. */

import type { ProtectedBranch } from '../../../db/tables.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import type { NamingRule } from '../../../features/review/approval-rules/approval-rules.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type Choice, dangerous, field, form, problemsOf, select, untouched } from '../../frame/forms.ts'
import { namesField } from '../../planning/lists/names.ts'
import { sentences } from './sentences.ts'

export interface ShownRule {
  rule: NamingRule
  users: UserInBrief[]
  /** Full paths of those that the viewer can see. */
  groups: string[]
  isSatisfiable: boolean
}

export interface RulesShown {
  /** The address at which rules are created. */
  base: string
  /** Null for a group, whose rules are for all protected branches. */
  project: { full_path: string } | null
  token: Html
  rules: readonly ShownRule[]
  branches: readonly ProtectedBranch[]
  /** The form that was refused: of a rule, or of a new one. */
  typed: Typed
  failed: number | null
}

/** The value of a rule that the API gave several branches: the form leaves them as they are. */
export const severalBranches = 'several'

/** The branches of a rule, as a value of the form's field. */
function branchesValue({ applies_to_all_protected_branches: isForAll, protected_branch_ids: ids }: NamingRule): string {
  if (isForAll) return 'protected'
  return ids.length > 1 ? severalBranches : String(ids[0] ?? 'all')
}

const names = ['name', 'approvals_required', 'users', 'groups', 'branches']

export function rulesView(shown: RulesShown): Html {
  const { base, project, token, rules, typed, failed } = shown
  const isOpen = failed === null && typed !== untouched
  const list = html`<ul class="rows">${rules.map((one) => ruleRow(shown, one))}</ul>`
  return html`
    ${rules.length === 0 ? html`<p class="empty">${project ? sentences.noRules : sentences.noGroupRules}</p>` : list}
    <details class="entry"${isOpen && html` open`}>
      <summary>Add a rule</summary>
      ${form({ action: base, token, submit: t`Add the rule` }, fieldsOf(shown, null, failed === null ? typed : untouched))}
    </details>
  `
}

function ruleRow(shown: RulesShown, one: ShownRule): Html {
  const { base, token, typed, failed } = shown
  const { rule, isSatisfiable } = one
  const action = `${base}/${rule.id}`
  const own = failed === rule.id ? typed : untouched
  const unseen = html`<span class="unseen"> <bdi>${rule.name}</bdi></span>`
  return html`
    <li>
      <div class="what">
        <bdi>${rule.name}</bdi>
        <p>${factsOf(shown, one)}</p>
        ${!isSatisfiable && html`<p class="hint">${sentences.nobody}</p>`}
        ${one.groups.length < rule.group_ids.length && html`<p class="hint">${sentences.hiddenGroups}</p>`}
      </div>
      <div class="facts">
        <details class="entry"${own !== untouched && html` open`}>
          <summary>Change${unseen}</summary>
          ${form({ action, token, submit: t`Save`, kind: 'plain' }, fieldsOf(shown, one, own))}
        </details>
        ${dangerous(
          html`Delete${unseen}`,
          html`
            <p>${sentences.deletion}</p>
            ${form({ action: `${action}/delete`, token, submit: t`Delete the rule`, kind: 'danger' }, html``)}
          `,
        )}
      </div>
    </li>
  `
}

/** Rules of groups above, which only these change. */
export function inheritedRules(shown: RulesShown, rules: ReadonlyArray<ShownRule & { group: string }>): Html | null {
  if (rules.length === 0) return null
  return html`
    <h3>Rules of groups above</h3>
    <ul class="rows">
      ${rules.map(
        (one) => html`
          <li>
            <div class="what">
              <bdi>${one.rule.name}</bdi>
              <p>${factsOf(shown, one)} · <bdi>${one.group}</bdi></p>
              ${!one.isSatisfiable && html`<p class="hint">${sentences.nobody}</p>`}
            </div>
          </li>
        `,
      )}
    </ul>
  `
}

function factsOf(shown: RulesShown, one: ShownRule): Html {
  const { rule } = one
  return html`${count(rule.approvals_required, 'approval')} · ${whoOf(one)} · ${whereOf(shown, rule)}`
}

function whoOf({ rule, users, groups }: ShownRule): Html | string {
  if (rule.rule_type === 'any_approver') return sentences.anybody
  const named = [...users.map(({ username }) => `@${username}`), ...groups.map((path) => `@${path}`)]
  return named.length === 0 ? t`nobody named` : html`<bdi>${named.join(', ')}</bdi>`
}

function whereOf({ branches }: RulesShown, rule: NamingRule): Html | string {
  if (rule.applies_to_all_protected_branches) return t`all protected branches`
  const found = branches.filter(({ id }) => rule.protected_branch_ids.includes(id)).map(({ name }) => name)
  return found.length === 0 ? t`all branches` : html`<bdi class="ref">${found.join(', ')}</bdi>`
}

function fieldsOf({ project, branches }: RulesShown, one: ShownRule | null, typed: Typed): Html {
  const value = one ? branchesValue(one.rule) : 'all'
  const named = branches.filter(({ id }) => one?.rule.protected_branch_ids.includes(id)).map(({ name }) => name)
  const id = one === null ? 'rule-' : `rule-${one.rule.id}-`
  const isNaming = one?.rule.rule_type !== 'any_approver'
  const choices: Choice[] = [
    ['all', t`All branches`],
    ['protected', t`All protected branches`],
    ...(value === severalBranches ? [[severalBranches, named.join(', ')] satisfies Choice] : []),
    ...branches.map((branch): Choice => [String(branch.id), branch.name]),
  ]
  const people = one?.users.map(({ username }) => username).join(', ') ?? ''
  return html`
    ${problemsOf(typed.errors, names)}
    ${isNaming && field(t`Name`, 'name', typed, { id, value: one?.rule.name ?? '', required: true, autocomplete: 'off' })}
    ${field(t`Approvals`, 'approvals_required', typed, {
      id,
      type: 'number',
      min: 0,
      max: 100,
      value: String(one?.rule.approvals_required ?? 1),
      required: true,
      hint: sentences.numberHint,
    })}
    ${isNaming && peopleField(project, typed, { id, value: people })}
    ${
      isNaming &&
      field(t`Groups`, 'groups', typed, { id, value: one?.groups.join(', ') ?? '', autocomplete: 'off', hint: sentences.groupsHint })
    }
    ${project && select(t`Target branches`, 'branches', typed, choices, { id, value })}
  `
}

function peopleField(project: RulesShown['project'], typed: Typed, known: { id: string; value: string }): Html {
  if (project) return namesField(t`People`, 'users', typed, '@', project, { ...known, hint: sentences.peopleHint })
  return field(t`People`, 'users', typed, { ...known, autocomplete: 'off', hint: sentences.groupPeopleHint })
}
