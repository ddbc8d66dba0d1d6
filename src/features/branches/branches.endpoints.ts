/** Branches (spec 4, and the public documentation of its version). */
import { type Static, Type } from 'typebox'
import { canPush, type ProjectAccess } from '../../access/find.ts'
import { invalid, notFound } from '../../failure.ts'
import { isRefName } from '../../git/names.ts'
import { readCommits } from '../../git/read.ts'
import { findRef, listRefs, mergedBranches, type Ref } from '../../git/refs.ts'
import type { Repo } from '../../git/repository.ts'
import { endpoint, listEndpoint } from '../../http/endpoint.ts'
import { slice } from '../../http/page.ts'
import { project } from '../../http/rules.ts'
import { presentCommit } from '../commits/commits.present.ts'
import { Commit } from '../commits/commits.schema.ts'

const Branch = Type.Object({
  name: Type.String(),
  commit: Commit,
  merged: Type.Boolean(),
  protected: Type.Boolean(),
  developers_can_push: Type.Boolean(),
  developers_can_merge: Type.Boolean(),
  can_push: Type.Boolean(),
  default: Type.Boolean(),
})

export const branches = [
  listEndpoint('GET /projects/:id/repository/branches', {
    summary: 'List branches, by name',
    access: project('code'),
    query: { search: Type.Optional(Type.String({ description: 'Part of the name' })) },
    item: Branch,
    async handle({ repo, project, level, query, page }) {
      const wanted = query.search?.toLowerCase() ?? ''
      const all = await listRefs(repo, 'heads')
      const { rows, total } = slice(
        all.filter(({ name }) => name.toLowerCase().includes(wanted)),
        page,
      )
      const head = all.find(({ name }) => name === project.default_branch)
      return { rows: await presentBranches(repo, { project, level }, rows, head), total }
    },
  }),
  endpoint('GET /projects/:id/repository/branches/:branch', {
    summary: 'Get a branch',
    access: project('code'),
    reply: Branch,
    async handle({ repo, project, level, params }) {
      if (!isRefName(params.branch)) throw invalid('The branch refname is invalid')
      const branch = await findRef(repo, 'heads', params.branch)
      if (!branch) throw notFound('Branch')
      const head = project.default_branch ? await findRef(repo, 'heads', project.default_branch) : null
      const [presented] = await presentBranches(repo, { project, level }, [branch], head ?? undefined)
      return presented as NonNullable<typeof presented>
    },
  }),
]

/** One process for which are merged, none for the commits once they are remembered. */
async function presentBranches(
  repo: Repo,
  access: ProjectAccess,
  refs: Ref[],
  head: Ref | undefined,
): Promise<Array<Static<typeof Branch>>> {
  const [merged, commits] = await Promise.all([
    head && refs.length > 0 ? mergedBranches(repo, head.oid) : new Set<string>(),
    readCommits(
      repo,
      refs.map(({ oid }) => oid),
    ),
  ])
  const { default_branch } = access.project
  return refs.map(({ name }, index) => ({
    name,
    commit: presentCommit(commits[index] as NonNullable<(typeof commits)[0]>),
    merged: name !== default_branch && merged.has(name),
    protected: false,
    developers_can_push: false,
    developers_can_merge: false,
    can_push: canPush(access),
    default: name === default_branch,
  }))
}
