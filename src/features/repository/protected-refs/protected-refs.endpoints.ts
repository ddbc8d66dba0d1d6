/** Protected branches and protected tags (the public documentation of the interface's version). */
import { type Static, Type } from 'typebox'
import { accessLevels } from '../../../access/levels.ts'
import type { ProtectedTag } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath, none, Off, resource } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { withoutUndefined } from '../../../validation.ts'
import { presentBranchRule, presentLevel } from './protected-refs.present.ts'
import { branchRulesOf, tagRulesOf } from './protected-refs.queries.ts'
import { AccessLevels, ProtectedBranch } from './protected-refs.schema.ts'
import { changeBranchRule, protectBranch, protectionLevels, protectTag, removeBranchRule, removeTagRule } from './protected-refs.service.ts'

const TagRule = resource('ProtectedTag', { name: Type.String(), create_access_levels: AccessLevels })

const Level = Type.Unsafe<number>({
  type: 'integer',
  enum: Object.keys(protectionLevels).map(Number),
  default: accessLevels.maintainer,
  description: '0 No one, 30 Developers + Maintainers, 40 Maintainers',
})
const forcing = Type.Unsafe<boolean>({ ...Off, description: 'Whether those who may push may also force it' })
const owning = Type.Unsafe<boolean>({ ...Off, description: 'Whether changes of files need the approval of their code owners' })
const name = Type.String({ description: 'Name or wildcard; * matches anything' })

const ruleName = nameInPath('Name or wildcard')
const branchRule = nested({ branch: ruleName }, async ({ project }: ProjectGranted, { branch }, app) => ({
  rule: ruleOf(await branchRulesOf(app.db, project.id), branch),
}))
const tagRule = nested({ tag_name: ruleName }, async ({ project }: ProjectGranted, { tag_name }, app) => ({
  rule: ruleOf(await tagRulesOf(app.db, project.id), tag_name),
}))

const protectedBranches = [
  listEndpoint('GET /projects/:id/protected_branches', {
    summary: 'List the protected branches of a project',
    access: project('protect_branches'),
    item: ProtectedBranch,
    async handle({ app, project, page }) {
      const { rows, total } = slice(await branchRulesOf(app.db, project.id), page)
      return { rows: rows.map(presentBranchRule), total }
    },
  }),
  endpoint('GET /projects/:id/protected_branches/:branch', {
    summary: 'Get a protected branch or wildcard',
    access: within(project('protect_branches'), branchRule),
    reply: ProtectedBranch,
    handle: ({ rule }) => presentBranchRule(rule),
  }),
  endpoint('POST /projects/:id/protected_branches', {
    summary: 'Protect a branch or a wildcard',
    access: unarchived(project('protect_branches')),
    body: { name, push_access_level: Level, merge_access_level: Level, allow_force_push: forcing, code_owner_approval_required: owning },
    reply: ProtectedBranch,
    fails: ['conflict'],
    async handle({ app, project, body }) {
      const { push_access_level: push_level, merge_access_level: merge_level, ...rest } = body
      return presentBranchRule(await protectBranch(app.db, { project_id: project.id, push_level, merge_level, ...rest }))
    },
  }),
  endpoint('PATCH /projects/:id/protected_branches/:branch', {
    summary: 'Update a protected branch or a wildcard',
    access: within(unarchived(project('protect_branches')), branchRule),
    body: { allow_force_push: Type.Optional(Type.Boolean()), code_owner_approval_required: Type.Optional(Type.Boolean()) },
    atLeastOne: ['allow_force_push', 'code_owner_approval_required'],
    reply: ProtectedBranch,
    handle: async ({ app, rule, body }) => presentBranchRule(await changeBranchRule(app.db, rule.id, withoutUndefined(body))),
  }),
  endpoint('DELETE /projects/:id/protected_branches/:branch', {
    summary: 'Unprotect a branch or a wildcard',
    access: within(unarchived(project('protect_branches')), branchRule),
    reply: none,
    lastChanged: ({ rule }) => rule.updated_at,
    async handle({ app, rule }) {
      await removeBranchRule(app.db, rule.id)
      return null
    },
  }),
]

const protectedTags = [
  listEndpoint('GET /projects/:id/protected_tags', {
    summary: 'List the protected tags of a project',
    access: project('protect_branches'),
    item: TagRule,
    async handle({ app, project, page }) {
      const { rows, total } = slice(await tagRulesOf(app.db, project.id), page)
      return { rows: rows.map(presentTagRule), total }
    },
  }),
  endpoint('GET /projects/:id/protected_tags/:tag_name', {
    summary: 'Get a protected tag or wildcard',
    access: within(project('protect_branches'), tagRule),
    reply: TagRule,
    handle: ({ rule }) => presentTagRule(rule),
  }),
  endpoint('POST /projects/:id/protected_tags', {
    summary: 'Protect a tag or a wildcard',
    access: unarchived(project('protect_branches')),
    body: { name, create_access_level: Level },
    reply: TagRule,
    fails: ['unprocessable'],
    async handle({ app, project, body }) {
      const rule = { name: body.name, create_level: body.create_access_level }
      await protectTag(app.db, { project_id: project.id, ...rule })
      return presentTagRule(rule)
    },
  }),
  endpoint('DELETE /projects/:id/protected_tags/:tag_name', {
    summary: 'Unprotect a tag or a wildcard',
    access: within(unarchived(project('protect_branches')), tagRule),
    reply: none,
    lastChanged: ({ rule }) => rule.updated_at,
    async handle({ app, rule }) {
      await removeTagRule(app.db, rule.id)
      return null
    },
  }),
]

export const protectedRefs = [...protectedBranches, ...protectedTags]

/** The rule with exactly this name: a wildcard is found by itself, not by what it matches. */
function ruleOf<R extends { name: string }>(rules: R[], name: string): R {
  const rule = rules.find((rule) => rule.name === name)
  if (!rule) throw missing()
  return rule
}

function presentTagRule(rule: Pick<ProtectedTag, 'name' | 'create_level'>): Static<typeof TagRule> {
  return { name: rule.name, create_access_levels: presentLevel(rule.create_level) }
}
