/** Tags and releases (spec 4.13). */
import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { pageOfRefs } from '../../../git/refs/refs.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath, none, oneOfDefault } from '../../../http/parameters/schema.ts'
import { nextPage, startOfPage, tokenParameters } from '../../../http/reply/page-token.ts'
import { signatureOfTag } from '../commits/commits.ts'
import { CommitSignature } from '../commits/signature.schema.ts'
import { presentTag, presentTags } from './tags.present.ts'
import { Tag, TagRelease } from './tags.schema.ts'
import { changeRelease, createDescribedTag, createRelease, deleteTag, tagAt } from './tags.service.ts'

const markdown = { description: Type.String({ description: 'Markdown' }) }

const tag = nested({ tag_name: nameInPath('Name of the tag') }, async ({ project }: ProjectGranted, { tag_name }, app) => ({
  tag: await tagAt(app, project.id, tag_name),
}))

export const tags = [
  listEndpoint('GET /projects/:id/repository/tags', {
    summary: 'List the tags of a repository',
    access: project('code'),
    query: {
      order_by: oneOfDefault('updated', 'name', 'version'),
      sort: oneOfDefault('desc', 'asc'),
      search: Type.Optional(Type.String({ description: 'Part of the name; ^text matches its start, text$ its end' })),
      ...tokenParameters,
    },
    item: Tag,
    async handle({ app, repo, project, query, page }) {
      const { rows, total, more } = await pageOfRefs(repo, 'tags', query, startOfPage(query, page))
      return { rows: await presentTags(app, project, rows), total, ...nextPage(query, more, rows.at(-1)?.name) }
    },
  }),
  endpoint('GET /projects/:id/repository/tags/:tag_name', {
    summary: 'Get a tag',
    access: within(project('code'), tag),
    reply: Tag,
    handle: ({ app, project, tag }) => presentTag(app, project, tag),
  }),
  endpoint('GET /projects/:id/repository/tags/:tag_name/signature', {
    summary: 'Get the signature of a tag, verified with the keys of its tagger',
    access: within(project('code'), tag),
    reply: CommitSignature,
    async handle({ app, repo, tag }) {
      const signature = await signatureOfTag(app.db, repo, tag)
      if (!signature) throw notFound('Signature')
      return signature
    },
  }),
  endpoint('POST /projects/:id/repository/tags', {
    summary: 'Create a tag',
    access: project('push_code'),
    body: {
      tag_name: Type.String(),
      ref: Type.String({ description: 'Branch, tag or commit' }),
      message: Type.Optional(Type.String({ description: 'Message of an annotated tag; without it the tag is lightweight' })),
      release_description: Type.Optional(Type.String({ description: 'Markdown' })),
    },
    reply: Tag,
    fails: ['method_not_allowed'],
    async handle({ app, actor, project, body }) {
      const tag = await createDescribedTag(app, actor, body, body.release_description)
      return presentTag(app, project, tag)
    },
  }),
  endpoint('DELETE /projects/:id/repository/tags/:tag_name', {
    summary: 'Delete a tag and its release',
    access: within(project('push_code'), tag),
    reply: none,
    // A tag of anything but a commit has no date.
    lastChanged: async ({ repo, tag }) => (tag.commit ? (await readCommit(repo, tag.commit)).author.date : null),
    async handle({ app, actor, tag }) {
      await deleteTag(app, actor, tag)
      return null
    },
  }),
  endpoint('POST /projects/:id/repository/tags/:tag_name/release', {
    summary: 'Create a release of a tag',
    operationId: 'createProjectRepositoryTagRelease',
    access: project('push_code'),
    body: markdown,
    reply: TagRelease,
    fails: ['conflict'],
    async handle({ app, actor, params: { tag_name }, body: { description } }) {
      await createRelease(app, actor, tag_name, description)
      return { tag_name, description }
    },
  }),
  endpoint('PUT /projects/:id/repository/tags/:tag_name/release', {
    summary: 'Update the release of a tag',
    access: project('push_code'),
    body: markdown,
    reply: TagRelease,
    async handle({ app, actor, params: { tag_name }, body: { description } }) {
      await changeRelease(app, actor, tag_name, description)
      return { tag_name, description }
    },
  }),
]
