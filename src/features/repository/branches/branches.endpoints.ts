/** Branches (the public documentation of the interface's version). */
import { type Static, Type } from 'typebox'
import type { ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { badParameter } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { pageOfRefs, type Ref } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Message, nameInPath, none } from '../../../http/parameters/schema.ts'
import { nextPage, startOfPage, tokenParameters } from '../../../http/reply/page-token.ts'
import { permitDevelopers, unprotectBranch } from '../protected-refs/protected-refs.ts'
import { Branch, presentBranches } from './branches.present.ts'
import { createBranch, deleteBranch, deleteMergedBranches, getBranch } from './branches.service.ts'
import { regexFilter } from './regex-filter.ts'

const branch = nested({ branch: nameInPath('Name of the branch') }, async ({ repo }: ProjectGranted, { branch }) => ({
  branch: await getBranch(repo, branch),
}))

/** The values of `sort`; `updated` is by the date of the last commit. */
const orders = {
  name: { order_by: 'name', sort: 'asc' },
  name_asc: { order_by: 'name', sort: 'asc' },
  updated_asc: { order_by: 'updated', sort: 'asc' },
  updated_desc: { order_by: 'updated', sort: 'desc' },
} as const

const reading = [
  listEndpoint('GET /projects/:id/repository/branches', {
    summary: 'List branches',
    access: project('code'),
    fromRepository: true,
    query: {
      search: Type.Optional(Type.String({ description: 'Part of the name; ^text matches its start, text$ its end' })),
      sort: Type.Optional(Type.Unsafe<keyof typeof orders>({ type: 'string', enum: ['', ...Object.keys(orders)] })),
      regex: Type.Optional(Type.String({ description: 'RE2 pattern that the name matches; not with search' })),
      ...tokenParameters,
    },
    item: Branch,
    async handle({ app, repo, access, query, page }) {
      const filter = query.regex ? regexFilter(query.regex) : undefined
      if (filter && query.search) throw badParameter('search, regex are mutually exclusive')
      const order = { ...orders[query.sort || 'name'], search: query.search, filter }
      const { rows, total, more } = await pageOfRefs(repo, 'heads', order, startOfPage(query, page))
      return { rows: await presentBranches(app, repo, access, rows), total, ...nextPage(query, more, rows.at(-1)?.name) }
    },
  }),
  endpoint('GET /projects/:id/repository/branches/:branch', {
    summary: 'Get a branch; with HEAD, check whether it exists',
    access: within(project('code'), branch),
    reply: Branch,
    headStatus: 204,
    handle: ({ app, repo, access, branch }) => present(app, repo, access, branch),
  }),
]

const changing = [
  endpoint('POST /projects/:id/repository/branches', {
    summary: 'Create a branch',
    access: project('push_code'),
    body: { branch: Type.String(), ref: Type.String({ description: 'Branch, tag or commit to start from' }) },
    reply: Branch,
    async handle({ app, repo, actor, access, body }) {
      const branch = await createBranch(app, actor, body.branch, body.ref)
      return present(app, repo, access, branch)
    },
  }),
  endpoint('DELETE /projects/:id/repository/branches/:branch', {
    summary: 'Delete a branch',
    access: within(project('push_code'), branch),
    reply: none,
    lastChanged: async ({ repo, branch }) => (await readCommit(repo, branch.oid)).author.date,
    async handle({ app, actor, branch }) {
      await deleteBranch(app, actor, branch)
      return null
    },
  }),
  endpoint('DELETE /projects/:id/repository/merged_branches', {
    summary: 'Delete the merged branches that are not protected',
    access: project('push_code'),
    status: 202,
    reply: Message,
    fails: ['unprocessable'],
    async handle({ app, actor }) {
      await deleteMergedBranches(app, actor)
      return { message: '202 Accepted' }
    },
  }),
  endpoint('PUT /projects/:id/repository/branches/:branch/protect', {
    summary: 'Protect a branch (use protected_branches instead)',
    operationId: 'protectProjectRepositoryBranch',
    access: within(unarchived(project('protect_branches')), branch),
    body: { developers_can_push: Type.Optional(Type.Boolean()), developers_can_merge: Type.Optional(Type.Boolean()) },
    reply: Branch,
    async handle({ app, repo, project, access, branch, body }) {
      await permitDevelopers(app.db, project.id, branch.name, body)
      return present(app, repo, access, branch)
    },
  }),
  endpoint('PUT /projects/:id/repository/branches/:branch/unprotect', {
    summary: 'Unprotect a branch (use protected_branches instead)',
    operationId: 'unprotectProjectRepositoryBranch',
    access: within(unarchived(project('protect_branches')), branch),
    reply: Branch,
    async handle({ app, repo, project, access, branch }) {
      await unprotectBranch(app.db, project.id, branch.name)
      return present(app, repo, access, branch)
    },
  }),
]

export const branches = [...reading, ...changing]

async function present(app: App, repo: Repo, access: ProjectAccess, branch: Ref): Promise<Static<typeof Branch>> {
  const [presented] = await presentBranches(app, repo, access, [branch])
  return presented as NonNullable<typeof presented>
}
