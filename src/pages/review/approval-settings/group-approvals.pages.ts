/** Pages on which owners of a group set approval rules and settings for all projects below it. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import {
  changeGroupApprovalSettings,
  changeGroupRule,
  createGroupRule,
  groupApprovalSettings,
  groupApprovalsManaged,
  groupApprovalsSeen,
  type RuleChange,
  removeGroupRule,
  rulesOfGroup,
  usersCalled,
} from '../../../features/review/approval-rules/approval-rules.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { GroupGranted, SignedIn } from '../../../http/declare/rules.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { form, untouched } from '../../frame/forms.ts'
import { groupView } from '../../group/group-view.ts'
import { groupsCalled, settingsFields, settingsForm, shownRules, wordsOf } from './parts.ts'
import { rulesView } from './rules-view.ts'
import { sentences } from './sentences.ts'

type GroupVisit = Visit & GroupGranted & SignedIn

const ruleForm = {
  name: Type.String({ default: '' }),
  approvals_required: Type.Integer(),
  users: Type.String({ default: '', maxLength: 20_000 }),
  groups: Type.String({ default: '', maxLength: 20_000 }),
}

const addressOf = ({ full_path }: { full_path: string }, rest = 'settings/merge_requests') => `/groups/${full_path}/-/${rest}`

interface Refused {
  of: 'settings' | 'new' | number
  typed: Typed
}

async function approvalsView(visit: GroupVisit, refused: Refused | null = null): Promise<View> {
  const { app, group, level, user, token } = visit
  const { above, effective } = await groupApprovalSettings(app.db, group.id)
  const rules = rulesView({
    base: addressOf(group, 'approval_rules'),
    project: null,
    token,
    rules: await shownRules(app, user, await rulesOfGroup(app.db, group.id), () => true),
    branches: [],
    typed: refused && refused.of !== 'settings' ? refused.typed : untouched,
    failed: typeof refused?.of === 'number' ? refused.of : null,
  })
  const fields = settingsFields(effective, refused?.of === 'settings' ? refused.typed : untouched)
  return groupView(
    { group, level, user, tab: 'approvals' },
    {
      title: t`Approvals`,
      main: html`
        <h1>Approvals</h1>
        <section class="setting" aria-labelledby="rules">
          <h2 id="rules">Rules</h2>
          <p class="hint">${sentences.whatGroup}</p>
          ${rules}
        </section>
        <section class="setting" aria-labelledby="settings">
          <h2 id="settings">Settings</h2>
          <p class="hint">${above ? sentences.demanded : sentences.whatDemands}</p>
          ${form({ action: addressOf(group), token, submit: t`Save` }, fields)}
        </section>
      `,
    },
  )
}

/** Throws 400 for people and groups that aren't there. */
async function changeOf(
  app: App,
  user: User,
  sent: { name: string; users: string; groups: string },
): Promise<RuleChange & { name: string }> {
  const { found, unknown } = await usersCalled(app.db, wordsOf(sent.users))
  if (unknown.length > 0) throw invalid({ users: [sentences.unknownUsers(unknown)] })
  return { name: sent.name, user_ids: found, group_ids: await groupsCalled(app, user, sent.groups) }
}

export const groupApprovalPages: Page[] = [
  page('GET /groups/:group/-/settings/merge_requests', { access: groupApprovalsSeen, show: (visit) => approvalsView(visit) }),
  action('POST /groups/:group/-/settings/merge_requests', {
    access: groupApprovalsManaged,
    form: settingsForm,
    async act({ app, group, sent }) {
      await changeGroupApprovalSettings(app, group.id, sent)
      return { redirect: addressOf(group), notice: sentences.saved }
    },
    again: (visit, typed) => approvalsView(visit, { of: 'settings', typed }),
  }),
  action('POST /groups/:group/-/approval_rules', {
    access: groupApprovalsManaged,
    form: ruleForm,
    async act({ app, user, group, sent }) {
      const rule = { ...(await changeOf(app, user, sent)), approvals_required: sent.approvals_required }
      const { name } = await createGroupRule(app, { user, group }, rule)
      return { redirect: addressOf(group), notice: sentences.created(name) }
    },
    again: (visit, typed) => approvalsView(visit, { of: 'new', typed }),
  }),
  action('POST /groups/:group/-/approval_rules/:rule', {
    access: groupApprovalsManaged,
    form: ruleForm,
    async act({ app, user, group, sent, params }) {
      const change = { ...(await changeOf(app, user, sent)), approvals_required: sent.approvals_required }
      const { name } = await changeGroupRule(app, { user, group }, Number(params.rule), change)
      return { redirect: addressOf(group), notice: sentences.changed(name) }
    },
    again: (visit, typed) => approvalsView(visit, { of: Number(visit.params.rule), typed }),
  }),
  action('POST /groups/:group/-/approval_rules/:rule/delete', {
    access: groupApprovalsManaged,
    async act({ app, group, params }) {
      const rule = (await rulesOfGroup(app.db, group.id)).find(({ id }) => String(id) === params.rule)
      if (rule) await removeGroupRule(app, rule)
      return { redirect: addressOf(group), notice: rule ? sentences.removed(rule.name) : sentences.gone }
    },
  }),
]
