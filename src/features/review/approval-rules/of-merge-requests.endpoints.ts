/** Rules of approval of a merge request: its own, and those that stand in the place of rules of its project. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint, type Signature } from '../../../http/declare/endpoint.ts'
import { allowed, type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { type MergeRequestGranted, mergeRequestInPath } from '../merge-requests/merge-requests.ts'
import { presentRequestRules, presentState } from './approval-rules.present.ts'
import { type NamingRule, rulesOfMergeRequest, rulesOfProject } from './approval-rules.queries.ts'
import { ApprovalState, newRequestRule, RequestApprovalRule, requestRuleChange } from './approval-rules.schema.ts'
import { changeRule, createRequestRule, removeRule } from './approval-rules.service.ts'
import { approvalsNeededNow, rulesFor } from './approval-state.service.ts'
import { approvalSettingsOf } from './settings.queries.ts'

const readable = within(project('signed-in'), mergeRequestInPath)
const addable = within(unarchived(project('manage_merge_requests')), mergeRequestInPath)

const ruleInPath = nested({ rule_id: Id }, async ({ project, merge_request }: ProjectGranted & MergeRequestGranted, { rule_id }, app) => {
  const rule = (await rulesOfMergeRequest(app.db, merge_request.id)).find(({ id }) => id === rule_id)
  if (!rule) throw missing()
  const ofProject = await rulesOfProject(app.db, project.id)
  return { rule: { ...rule, source: ofProject.find(({ id }) => id === rule.source_rule_id) ?? null } }
})
const inRequest = within(readable, ruleInPath)
const changeable = within(within(unarchived(project('manage_approval_rules')), mergeRequestInPath), ruleInPath)

function stateAt(signature: Signature, summary: string) {
  return endpoint(signature, {
    summary,
    access: readable,
    reply: ApprovalState,
    async handle({ app, user, project, merge_request }) {
      return presentState(app, user, await approvalsNeededNow(app, project, merge_request))
    },
  })
}

export const requestApprovalRules = [
  stateAt(
    'GET /projects/:id/merge_requests/:merge_request_iid/approval_state',
    'Get the approval rules of a merge request, and which approvals they have',
  ),
  stateAt(
    'GET /projects/:id/merge_requests/:merge_request_iid/approval_settings',
    'Get the approval rules of a merge request, and which approvals they have, at an older address',
  ),
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/approval_rules', {
    summary: 'List the approval rules that apply to a merge request',
    access: readable,
    item: RequestApprovalRule,
    async handle({ app, user, project, merge_request, page }) {
      const rules = await rulesFor(app.db, merge_request, await approvalSettingsOf(app.db, project.id))
      const { rows, total } = slice(rules, page)
      return { rows: await presentRequestRules(app, project, user, rows), total }
    },
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/approval_rules', {
    summary: 'Add an approval rule to a merge request, or replace one of its project',
    access: addable,
    body: newRequestRule,
    reserved: { approval_project_rule_id: [allowed('manage_approval_rules')] },
    reply: RequestApprovalRule,
    async handle({ app, user, project, merge_request, body }) {
      const rule = await createRequestRule(app, { user, project }, merge_request, body)
      const source = (await rulesOfProject(app.db, project.id)).find(({ id }) => id === rule.source_rule_id) ?? null
      return one(app, project, user, { ...rule, source })
    },
  }),
  endpoint('GET /projects/:id/merge_requests/:merge_request_iid/approval_rules/:rule_id', {
    summary: 'Get a rule that only a merge request has',
    access: inRequest,
    reply: RequestApprovalRule,
    handle: ({ app, user, project, rule }) => one(app, project, user, rule),
  }),
  endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/approval_rules/:rule_id', {
    summary: 'Update a rule that only a merge request has',
    access: changeable,
    body: requestRuleChange,
    reply: RequestApprovalRule,
    async handle({ app, user, project, rule, body }) {
      const changed = await changeRule(app, { user, project }, rule, body)
      return one(app, project, user, { ...changed, source: rule.source })
    },
  }),
  endpoint('DELETE /projects/:id/merge_requests/:merge_request_iid/approval_rules/:rule_id', {
    summary: 'Delete a rule that only a merge request has: the one that it replaced applies again',
    access: changeable,
    reply: none,
    lastChanged: ({ rule }) => rule.updated_at,
    async handle({ app, rule }) {
      await removeRule(app, rule)
      return null
    },
  }),
]

async function one(app: App, project: ProjectGranted['project'], user: User, rule: NamingRule & { source: NamingRule | null }) {
  const [presented] = await presentRequestRules(app, project, user, [rule])
  if (!presented) throw missing()
  return presented
}
