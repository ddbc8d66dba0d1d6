/** Rules of approval of a group: they apply to the protected branches of all projects below it. */
import type { LocatedGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { presentGroupRules } from './approval-rules.present.ts'
import { type NamingRule, rulesOfGroup } from './approval-rules.queries.ts'
import { groupRuleChange, newGroupRule, ProjectApprovalRule } from './approval-rules.schema.ts'
import { groupApprovalsManaged, groupApprovalsSeen } from './group-rules.access.ts'
import { changeGroupRule, createGroupRule, removeGroupRule } from './group-rules.service.ts'

const ruleInPath = nested({ approval_rule_id: Id }, async ({ group }: { group: LocatedGroup }, { approval_rule_id }, app) => {
  const rule = (await rulesOfGroup(app.db, group.id)).find(({ id }) => id === approval_rule_id)
  if (!rule) throw missing()
  return { rule }
})

export const groupApprovalRules = [
  listEndpoint('GET /groups/:id/approval_rules', {
    summary: 'List the approval rules of a group',
    access: groupApprovalsSeen,
    item: ProjectApprovalRule,
    async handle({ app, group, user, page }) {
      const { rows, total } = slice(await rulesOfGroup(app.db, group.id), page)
      return { rows: await presentGroupRules(app, user, rows), total }
    },
  }),
  endpoint('POST /groups/:id/approval_rules', {
    summary: 'Create an approval rule of a group',
    access: groupApprovalsManaged,
    body: newGroupRule,
    reply: ProjectApprovalRule,
    handle: async ({ app, group, user, body }) => one(app, user, await createGroupRule(app, { user, group }, body)),
  }),
  endpoint('GET /groups/:id/approval_rules/:approval_rule_id', {
    summary: 'Get an approval rule of a group',
    access: within(groupApprovalsSeen, ruleInPath),
    reply: ProjectApprovalRule,
    handle: ({ app, user, rule }) => one(app, user, rule),
  }),
  endpoint('PUT /groups/:id/approval_rules/:approval_rule_id', {
    summary: 'Update an approval rule of a group',
    access: within(groupApprovalsManaged, ruleInPath),
    body: groupRuleChange,
    reply: ProjectApprovalRule,
    handle: async ({ app, group, user, rule, body }) => one(app, user, await changeGroupRule(app, { user, group }, rule.id, body)),
  }),
  endpoint('DELETE /groups/:id/approval_rules/:approval_rule_id', {
    summary: 'Delete an approval rule of a group',
    access: within(groupApprovalsManaged, ruleInPath),
    reply: none,
    lastChanged: ({ rule }) => rule.updated_at,
    async handle({ app, rule }) {
      await removeGroupRule(app, rule)
      return null
    },
  }),
]

async function one(app: App, user: User, rule: NamingRule) {
  const [presented] = await presentGroupRules(app, user, [rule])
  if (!presented) throw missing()
  return presented
}
