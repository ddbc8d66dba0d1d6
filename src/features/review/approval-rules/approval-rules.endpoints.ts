/** Rules of approval of a project, and its settings about approvals (newer than the API of spec 4.3). */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { withoutUndefined } from '../../../validation.ts'
import { presentProjectRules, presentSettings } from './approval-rules.present.ts'
import { type NamingRule, rulesOfProject } from './approval-rules.queries.ts'
import { newProjectRule, ProjectApprovalRule, ProjectApprovals, projectRuleChange, settingsParameters } from './approval-rules.schema.ts'
import { changeRule, createProjectRule, removeRule } from './approval-rules.service.ts'
import { changeApprovalSettings } from './approval-settings.service.ts'
import { approvalSettingsOf } from './settings.queries.ts'

const readable = project('manage_merge_requests')
const writable = unarchived(project('manage_approval_rules'))

const ruleInPath = nested({ rule_id: Id }, async ({ project }: ProjectGranted, { rule_id }, app) => {
  const rule = (await rulesOfProject(app.db, project.id)).find(({ id }) => id === rule_id)
  if (!rule) throw missing()
  return { rule }
})

export const projectApprovals = [
  endpoint('GET /projects/:id/approvals', {
    summary: 'Get how merge requests of a project are approved',
    access: readable,
    reply: ProjectApprovals,
    handle: async ({ app, project }) =>
      presentSettings(await approvalSettingsOf(app.db, project.id), await rulesOfProject(app.db, project.id)),
  }),
  endpoint('POST /projects/:id/approvals', {
    summary: 'Change how merge requests of a project are approved',
    access: writable,
    body: settingsParameters,
    reply: ProjectApprovals,
    async handle({ app, project, user, body }) {
      const { reset_approvals_on_push, reset_approvals_on, require_reauthentication_to_approve, require_password_to_approve, ...rest } =
        body
      const byFlag = reset_approvals_on_push === undefined ? undefined : reset_approvals_on_push ? 'change' : 'never'
      const change = withoutUndefined({
        ...rest,
        reset_approvals_on: reset_approvals_on ?? byFlag,
        require_password_to_approve: require_reauthentication_to_approve ?? require_password_to_approve,
      })
      const { effective } = await changeApprovalSettings(app, { user, project }, change)
      return presentSettings(effective, await rulesOfProject(app.db, project.id))
    },
  }),
  listEndpoint('GET /projects/:id/approval_rules', {
    summary: 'List the approval rules of a project',
    access: readable,
    item: ProjectApprovalRule,
    async handle({ app, project, user, page }) {
      const { rows, total } = slice(await rulesOfProject(app.db, project.id), page)
      return { rows: await presentProjectRules(app, project, user, rows), total }
    },
  }),
  endpoint('POST /projects/:id/approval_rules', {
    summary: 'Create an approval rule of a project',
    access: writable,
    body: newProjectRule,
    reply: ProjectApprovalRule,
    handle: async ({ app, project, user, body }) => one(app, project, user, await createProjectRule(app, { user, project }, body)),
  }),
  endpoint('GET /projects/:id/approval_rules/:rule_id', {
    summary: 'Get an approval rule of a project',
    access: within(readable, ruleInPath),
    reply: ProjectApprovalRule,
    handle: ({ app, project, user, rule }) => one(app, project, user, rule),
  }),
  endpoint('PUT /projects/:id/approval_rules/:rule_id', {
    summary: 'Update an approval rule of a project',
    access: within(writable, ruleInPath),
    body: projectRuleChange,
    reply: ProjectApprovalRule,
    handle: async ({ app, project, user, rule, body }) => one(app, project, user, await changeRule(app, { user, project }, rule, body)),
  }),
  endpoint('DELETE /projects/:id/approval_rules/:rule_id', {
    summary: 'Delete an approval rule of a project',
    access: within(writable, ruleInPath),
    reply: none,
    lastChanged: ({ rule }) => rule.updated_at,
    async handle({ app, rule }) {
      await removeRule(app, rule)
      return null
    },
  }),
]

async function one(app: App, project: ProjectGranted['project'], user: User, rule: NamingRule) {
  const [presented] = await presentProjectRules(app, project, user, [rule])
  if (!presented) throw missing()
  return presented
}
