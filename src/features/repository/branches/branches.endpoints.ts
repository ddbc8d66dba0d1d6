/** Branches (the public documentation of the interface's version). */
import { type Static, Type } from 'typebox'
import type { ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { pageOfRefs, type Ref } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { project, unarchivedProject } from '../../../http/rules.ts'
import { Message, none } from '../../../http/schema.ts'
import { permitDevelopers, unprotectBranch } from '../protected-refs/protected-refs.ts'
import { Branch, presentBranches } from './branches.present.ts'
import { createBranch, deleteBranch, deleteMergedBranches, getBranch } from './branches.service.ts'

const reading = [
  listEndpoint('GET /projects/:id/repository/branches', {
    summary: 'List branches, by name',
    access: project('code'),
    query: { search: Type.Optional(Type.String({ description: 'Part of the name; ^start and end$ are its start and end' })) },
    item: Branch,
    async handle({ app, repo, project, level, query, page }) {
      const { rows, total } = await pageOfRefs(repo, 'heads', { order_by: 'name', sort: 'asc', search: query.search }, page)
      return { rows: await presentBranches(app, repo, { project, level }, rows), total }
    },
  }),
  endpoint('GET /projects/:id/repository/branches/:branch', {
    summary: 'Get a branch; with HEAD, only whether it is there',
    access: project('code'),
    reply: Branch,
    headStatus: 204,
    async handle({ app, repo, project, level, params }) {
      return present(app, repo, { project, level }, await getBranch(repo, params.branch))
    },
  }),
]

const changing = [
  endpoint('POST /projects/:id/repository/branches', {
    summary: 'Create a branch',
    access: project('developer'),
    body: { branch: Type.String(), ref: Type.String({ description: 'Branch, tag or commit where it begins' }) },
    reply: Branch,
    async handle({ app, repo, user, project, level, body }) {
      const branch = await createBranch(app, { user, project, level }, body.branch, body.ref)
      return present(app, repo, { project, level }, branch)
    },
  }),
  endpoint('DELETE /projects/:id/repository/branches/:branch', {
    summary: 'Delete a branch',
    access: project('developer'),
    reply: none,
    fails: { unmodified_since: 412 },
    async handle({ app, user, project, level, params, unmodifiedSince }) {
      await deleteBranch(app, { user, project, level }, params.branch, unmodifiedSince)
      return null
    },
  }),
  endpoint('DELETE /projects/:id/repository/merged_branches', {
    summary: 'Delete the branches that are merged into the default branch, without those that are protected',
    access: project('developer'),
    status: 202,
    reply: Message,
    async handle({ app, user, project, level }) {
      await deleteMergedBranches(app, { user, project, level })
      return { message: '202 Accepted' }
    },
  }),
  endpoint('PUT /projects/:id/repository/branches/:branch/protect', {
    summary: 'Protect a branch; the older way',
    access: unarchivedProject('maintainer'),
    body: { developers_can_push: Type.Optional(Type.Boolean()), developers_can_merge: Type.Optional(Type.Boolean()) },
    reply: Branch,
    async handle({ app, repo, project, level, params, body }) {
      const branch = await getBranch(repo, params.branch)
      await permitDevelopers(app.db, project.id, branch.name, body)
      return present(app, repo, { project, level }, branch)
    },
  }),
  endpoint('PUT /projects/:id/repository/branches/:branch/unprotect', {
    summary: 'Unprotect a branch; the older way',
    access: unarchivedProject('maintainer'),
    reply: Branch,
    async handle({ app, repo, project, level, params }) {
      const branch = await getBranch(repo, params.branch)
      await unprotectBranch(app.db, project.id, branch.name)
      return present(app, repo, { project, level }, branch)
    },
  }),
]

export const branches = [...reading, ...changing]

async function present(app: App, repo: Repo, access: ProjectAccess, branch: Ref): Promise<Static<typeof Branch>> {
  const [presented] = await presentBranches(app, repo, access, [branch])
  return presented as NonNullable<typeof presented>
}
