/** Tags and releases (spec 4.13). */
import { Type } from 'typebox'
import { readCommit } from '../../../git/objects/read.ts'
import { pageOfRefs } from '../../../git/refs/refs.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { project } from '../../../http/rules.ts'
import { none, oneOfDefault } from '../../../http/schema.ts'
import { presentTag, presentTags } from './tags.present.ts'
import { Release, Tag } from './tags.schema.ts'
import { changeRelease, createRelease, createTag, deleteTag, tagAt } from './tags.service.ts'

const markdown = { description: Type.String({ description: 'Markdown' }) }

export const tags = [
  listEndpoint('GET /projects/:id/repository/tags', {
    summary: 'List the tags of a repository',
    access: project('code'),
    query: {
      order_by: oneOfDefault('updated', 'name'),
      sort: oneOfDefault('desc', 'asc'),
      search: Type.Optional(Type.String({ description: 'Part of the name; its beginning after `^`, its end before `$`' })),
    },
    item: Tag,
    async handle({ app, repo, project, query, page }) {
      const { rows, total } = await pageOfRefs(repo, 'tags', query, page)
      return { rows: await presentTags(app, project.id, rows), total }
    },
  }),
  endpoint('GET /projects/:id/repository/tags/:tag_name', {
    summary: 'Get a tag',
    access: project('code'),
    reply: Tag,
    handle: async ({ app, project, params }) => presentTag(app, project.id, await tagAt(app, project.id, params.tag_name)),
  }),
  endpoint('POST /projects/:id/repository/tags', {
    summary: 'Create a tag',
    access: project('developer'),
    body: {
      tag_name: Type.String(),
      ref: Type.String({ description: 'Branch, tag or commit' }),
      message: Type.Optional(Type.String({ description: 'Makes the tag an annotated one' })),
      release_description: Type.Optional(Type.String({ description: 'Markdown' })),
    },
    reply: Tag,
    fails: { method_not_allowed: 405 },
    async handle({ app, user, project, level, body }) {
      const tag = await createTag(app, { user, project, level }, body)
      return presentTag(app, project.id, tag)
    },
  }),
  endpoint('DELETE /projects/:id/repository/tags/:tag_name', {
    summary: 'Delete a tag, with its release',
    access: project('developer'),
    reply: none,
    fails: { unmodified_since: 412 },
    async handle({ app, user, repo, project, level, params, unmodifiedSince }) {
      const tag = await tagAt(app, project.id, params.tag_name)
      if (tag.commit) requireUnmodified(unmodifiedSince, (await readCommit(repo, tag.commit)).author.date)
      await deleteTag(app, { user, project, level }, tag)
      return null
    },
  }),
  endpoint('POST /projects/:id/repository/tags/:tag_name/release', {
    summary: 'Attach a release to a tag',
    access: project('developer'),
    body: markdown,
    reply: Release,
    fails: { conflict: 409 },
    async handle({ app, user, project, level, params: { tag_name }, body: { description } }) {
      await createRelease(app, { user, project, level }, tag_name, description)
      return { tag_name, description }
    },
  }),
  endpoint('PUT /projects/:id/repository/tags/:tag_name/release', {
    summary: 'Change the release of a tag',
    access: project('developer'),
    body: markdown,
    reply: Release,
    async handle({ app, user, project, level, params: { tag_name }, body: { description } }) {
      await changeRelease(app, { user, project, level }, tag_name, description)
      return { tag_name, description }
    },
  }),
]
