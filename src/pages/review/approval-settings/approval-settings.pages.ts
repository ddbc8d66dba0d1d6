/** The settings of approvals of a project: who must approve, how approvals are given, and what takes them away. */

import { Type } from 'typebox'
import { findGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { invalid, missing, nullIfMissing } from '../../../failure.ts'
import { usersInBrief } from '../../../features/people/users/users.ts'
import { branchRulesOf } from '../../../features/repository/protected-refs/protected-refs.ts'
import {
  approvalSettingsOf,
  changeApprovalSettings,
  changeProjectRule,
  createProjectRule,
  eligibleOf,
  type NamingRule,
  type RuleChange,
  removeProjectRule,
  rulesOfProject,
  seenGroups,
  usersNamed,
} from '../../../features/review/approval-rules/approval-rules.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { checkbox, form, problemsOf, radios, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { trainSettings } from '../merge-trains/settings.ts'
import { rulesView, type ShownRule, severalBranches } from './rules-view.ts'
import { resets, sentences } from './sentences.ts'

type SettingsVisit = Visit & ProjectGranted & SignedIn

const access = unarchived(project('manage_approval_rules'))
const addressOf = ({ full_path }: { full_path: string }) => `/${full_path}/settings/merge_requests`
const flag = Type.Boolean({ default: false })
const ruleForm = {
  name: Type.String({ default: '' }),
  approvals_required: Type.Integer(),
  users: Type.String({ default: '', maxLength: 20_000 }),
  groups: Type.String({ default: '', maxLength: 20_000 }),
  branches: Type.String({ default: 'all' }),
}

interface Refused {
  /** Which form: that of the settings, of a new rule, or of the rule with this id. */
  of: 'settings' | 'new' | number
  typed: Typed
}

const asText = (value: boolean): 'true' | 'false' => (value ? 'true' : 'false')

async function approvalsView(visit: SettingsVisit, refused: Refused | null = null): Promise<View> {
  const { app, project, level, user, token } = visit
  const settings = await approvalSettingsOf(app.db, project.id)
  const typed = refused?.of === 'settings' ? refused.typed : untouched
  const rules = rulesView({
    project,
    token,
    rules: await shownRules(visit, await rulesOfProject(app.db, project.id)),
    branches: await branchRulesOf(app.db, project.id),
    typed: refused && refused.of !== 'settings' ? refused.typed : untouched,
    failed: typeof refused?.of === 'number' ? refused.of : null,
  })
  const fields = html`
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
  return projectView(
    { project, level, user, tab: 'settings-approvals' },
    {
      title: t`Approvals`,
      scripts: ['planning.js'],
      main: html`
        <h1>Approvals</h1>
        <section class="setting" aria-labelledby="rules">
          <h2 id="rules">Rules</h2>
          <p class="hint">${sentences.what}</p>
          ${rules}
        </section>
        <section class="setting" aria-labelledby="settings">
          <h2 id="settings">Settings</h2>
          ${form({ action: addressOf(project), token, submit: t`Save` }, fields)}
        </section>
        ${trainSettings(project, token)}
      `,
    },
  )
}

async function shownRules({ app, project, user }: SettingsVisit, rules: NamingRule[]): Promise<ShownRule[]> {
  const eligible = await eligibleOf(app, project, rules)
  const users = await usersInBrief(
    app.db,
    rules.flatMap(({ user_ids }) => user_ids),
  )
  const groups = await seenGroups(app.db, user, [...new Set(rules.flatMap(({ group_ids }) => group_ids))])
  return rules.map((rule) => ({
    rule,
    users: rule.user_ids.flatMap((id) => users.get(id) ?? []),
    groups: groups.filter(({ id }) => rule.group_ids.includes(id)).map(({ full_path }) => full_path),
    isSatisfiable: rule.rule_type === 'any_approver' || (eligible.get(rule.id)?.length ?? 0) >= rule.approvals_required,
  }))
}

const wordsOf = (text: string) => [
  ...new Set(
    text
      .split(/[,\s]+/)
      .map((word) => word.replace(/^@/, ''))
      .filter((word) => word !== ''),
  ),
]

interface SentRule {
  name: string
  approvals_required: number
  users: string
  groups: string
  branches: string
}

/** Throws 400 for people and groups that aren't there: somebody mistyped would leave a rule to nobody. */
async function changeOf(app: App, user: User, place: ProjectGranted['project'], sent: SentRule): Promise<RuleChange & { name: string }> {
  const { found, unknown } = await usersNamed(app.db, place, wordsOf(sent.users))
  if (unknown.length > 0) throw invalid({ users: [sentences.unknownPeople(unknown)] })
  const groups = await Promise.all(
    wordsOf(sent.groups).map(async (path) => ({ path, found: await findGroup(app.db, path, user).catch(nullIfMissing) })),
  )
  const lost = groups.filter((one) => one.found === null).map(({ path }) => path)
  if (lost.length > 0) throw invalid({ groups: [sentences.unknownGroups(lost)] })
  const change = { name: sent.name, user_ids: found, group_ids: groups.flatMap((one) => one.found?.group.id ?? []) }
  if (sent.branches === severalBranches) return change
  const branch = Number(sent.branches)
  return {
    ...change,
    applies_to_all_protected_branches: sent.branches === 'protected',
    protected_branch_ids: Number.isInteger(branch) ? [branch] : [],
  }
}

export const approvalSettingsPages: Page[] = [
  page('GET /:project/settings/merge_requests', { access: project('manage_approval_rules'), show: (visit) => approvalsView(visit) }),
  action('POST /:project/settings/merge_requests', {
    access,
    form: {
      merge_requests_author_approval: flag,
      merge_requests_disable_committers_approval: flag,
      disable_overriding_approvers_per_merge_request: flag,
      require_password_to_approve: flag,
      reset_approvals_on: oneOf('change', 'push', 'never'),
      selective_code_owner_removals: flag,
    },
    async act({ app, user, project, sent }) {
      await changeApprovalSettings(app, { user, project }, sent)
      return { redirect: addressOf(project), notice: sentences.saved }
    },
    again: (visit, typed) => approvalsView(visit, { of: 'settings', typed }),
  }),
  action('POST /:project/approval_rules', {
    access,
    form: ruleForm,
    async act({ app, user, project, sent }) {
      const rule = { ...(await changeOf(app, user, project, sent)), approvals_required: sent.approvals_required }
      const { name } = await createProjectRule(app, { user, project }, rule)
      return { redirect: addressOf(project), notice: sentences.created(name) }
    },
    again: (visit, typed) => approvalsView(visit, { of: 'new', typed }),
  }),
  action('POST /:project/approval_rules/:rule', {
    access,
    form: ruleForm,
    async act({ app, user, project, sent, params }) {
      const rule = (await rulesOfProject(app.db, project.id)).find(({ id }) => String(id) === params.rule)
      if (!rule) throw missing()
      const change = { ...(await changeOf(app, user, project, sent)), approvals_required: sent.approvals_required }
      // A rule without named approvers has a fixed name.
      const kept = rule.rule_type === 'any_approver' ? { ...change, name: rule.name, user_ids: [], group_ids: [] } : change
      const { name } = await changeProjectRule(app, { user, project }, rule.id, kept)
      return { redirect: addressOf(project), notice: sentences.changed(name) }
    },
    again: (visit, typed) => approvalsView(visit, { of: Number(visit.params.rule), typed }),
  }),
  action('POST /:project/approval_rules/:rule/delete', {
    access,
    async act({ app, project, params }) {
      const redirect = addressOf(project)
      const removed = await removeProjectRule(app, project.id, Number(params.rule)).catch(nullIfMissing)
      return { redirect, notice: removed ? sentences.removed(removed.name) : sentences.gone }
    },
  }),
]
