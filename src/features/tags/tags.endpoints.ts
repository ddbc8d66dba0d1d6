/** Tags (spec 4.13). */
import { type Static, Type } from 'typebox'
import { notFound } from '../../failure.ts'
import { readCommit, readTag } from '../../git/read.ts'
import { findRef, listRefs, type Ref } from '../../git/refs.ts'
import type { Repo } from '../../git/repository.ts'
import { endpoint, listEndpoint } from '../../http/endpoint.ts'
import { slice } from '../../http/page.ts'
import { project } from '../../http/rules.ts'
import { nullable, oneOfDefault } from '../../http/schema.ts'
import { presentCommit } from '../commits/commits.present.ts'
import { Commit } from '../commits/commits.schema.ts'

const Release = Type.Object({ tag_name: Type.String(), description: Type.String() })

const Tag = Type.Object({
  name: Type.String(),
  message: nullable(Type.String()),
  target: Type.String({ description: 'The tag object of an annotated tag, the commit of a lightweight one' }),
  commit: nullable(Commit),
  release: nullable(Release),
})

export const tags = [
  listEndpoint('GET /projects/:id/repository/tags', {
    summary: 'List the tags of a repository',
    access: project('code'),
    query: { order_by: oneOfDefault('updated', 'name'), sort: oneOfDefault('desc', 'asc') },
    item: Tag,
    async handle({ repo, query, page }) {
      const all = await listRefs(repo, 'tags')
      if (query.order_by === 'updated') all.sort((a, b) => a.committed_at - b.committed_at)
      if (query.sort === 'desc') all.reverse()
      const { rows, total } = slice(all, page)
      return { rows: await Promise.all(rows.map((ref) => presentTag(repo, ref))), total }
    },
  }),
  endpoint('GET /projects/:id/repository/tags/:tag_name', {
    summary: 'Get a tag',
    access: project('code'),
    reply: Tag,
    async handle({ repo, params }) {
      const ref = await findRef(repo, 'tags', params.tag_name)
      if (!ref) throw notFound('Tag')
      return presentTag(repo, ref)
    },
  }),
]

async function presentTag(repo: Repo, { name, oid, commit }: Ref): Promise<Static<typeof Tag>> {
  const annotated = commit !== oid ? await readTag(repo, oid) : null
  return {
    name,
    message: annotated?.message ?? null,
    target: oid,
    commit: commit ? presentCommit(await readCommit(repo, commit)) : null,
    release: null,
  }
}
