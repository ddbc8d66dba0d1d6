/** The settings of approvals of a project: who must approve, how approvals are given, and what takes them away. */

import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { invalid, missing, nullIfMissing } from '../../../failure.ts'
import { branchRulesOf } from '../../../features/repository/protected-refs/protected-refs.ts'
import {
  approvalSettingsWithin,
  changeApprovalSettings,
  changeProjectRule,
  createProjectRule,
  eligibleOf,
  type RuleChange,
  removeProjectRule,
  rulesAtProject,
  rulesOfProject,
  seenGroups,
  usersNamed,
} from '../../../features/review/approval-rules/approval-rules.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { form, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { trainSettings } from '../merge-trains/settings.ts'
import { groupsCalled, settingsFields, settingsForm, shownRules, wordsOf } from './parts.ts'
import { inheritedRules, rulesView, severalBranches } from './rules-view.ts'
import { sentences } from './sentences.ts'

type SettingsVisit = Visit & ProjectGranted & SignedIn

const access = unarchived(project('manage_approval_rules'))
const addressOf = ({ full_path }: { full_path: string }) => `/${full_path}/settings/merge_requests`
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

async function approvalsView(visit: SettingsVisit, refused: Refused | null = null): Promise<View> {
  const { app, project, level, user, token } = visit
  const { above, effective } = await approvalSettingsWithin(app.db, project.id)
  const typed = refused?.of === 'settings' ? refused.typed : untouched
  const all = await rulesAtProject(app.db, project.id)
  const eligible = await eligibleOf(app, project, all)
  const shown = await shownRules(app, user, all, ({ id, approvals_required }) => (eligible.get(id)?.length ?? 0) >= approvals_required)
  const groups = await seenGroups(
    app.db,
    user,
    all.flatMap(({ group_id }) => group_id ?? []),
  )
  const about = {
    base: `/${project.full_path}/approval_rules`,
    project,
    token,
    rules: shown.filter(({ rule }) => rule.group_id === null),
    branches: await branchRulesOf(app.db, project.id),
    typed: refused && refused.of !== 'settings' ? refused.typed : untouched,
    failed: typeof refused?.of === 'number' ? refused.of : null,
  }
  const inherited = shown
    .filter(({ rule }) => rule.group_id !== null)
    .map((one) => ({ ...one, group: groups.find(({ id }) => id === one.rule.group_id)?.full_path ?? '' }))
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
          ${rulesView(about)}${inheritedRules(about, inherited)}
        </section>
        <section class="setting" aria-labelledby="settings">
          <h2 id="settings">Settings</h2>
          ${above && html`<p class="hint">${sentences.demanded}</p>`}
          ${form({ action: addressOf(project), token, submit: t`Save` }, settingsFields(effective, typed))}
        </section>
        ${trainSettings(project, token)}
      `,
    },
  )
}

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
  const change = { name: sent.name, user_ids: found, group_ids: await groupsCalled(app, user, sent.groups) }
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
    form: settingsForm,
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
