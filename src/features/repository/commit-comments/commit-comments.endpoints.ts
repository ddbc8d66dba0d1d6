/** Comments on commits (spec 4.4). */
import { type Static, Type } from 'typebox'
import type { Config } from '../../../config.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { authenticated, project, unarchived } from '../../../http/rules.ts'
import { oneOfDefault } from '../../../http/schema.ts'
import { within } from '../../../http/within.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { commit } from '../revisions.ts'
import { type Comment, listComments } from './commit-comments.queries.ts'
import { CommitComment } from './commit-comments.schema.ts'
import { addComment } from './commit-comments.service.ts'

export const commitComments = [
  listEndpoint('GET /projects/:id/repository/commits/:sha/comments', {
    summary: 'List the comments on a commit, oldest first',
    access: within(project('code'), commit),
    item: CommitComment,
    async handle({ app, project, commit, page }) {
      const { rows, total } = await listComments(app.db, project.id, commit, page)
      return { rows: rows.map((comment) => presentComment(app.config, comment)), total }
    },
  }),
  endpoint('POST /projects/:id/repository/commits/:sha/comments', {
    summary: 'Comment on a commit, or on a line of its diff',
    access: within(unarchived(authenticated(project('code'))), commit),
    body: {
      note: Type.String({ description: 'Markdown; /tag v1.2.3 message tags the commit' }),
      path: Type.Optional(Type.String({ description: 'Path of a file in the diff' })),
      line: Type.Optional(Type.Integer({ description: 'Line number in the diff' })),
      line_type: oneOfDefault('new', 'old'),
    },
    reply: CommitComment,
    async handle({ app, user, project, level, commit, params, body }) {
      const comment = await addComment(app, { project, level }, user, commit, { sha: params.sha, ...body })
      return presentComment(app.config, comment)
    },
  }),
]

function presentComment(config: Config, { note, path, line, line_type, author, created_at }: Comment): Static<typeof CommitComment> {
  return { note, path, line, line_type, author: presentUserBrief(config, author), created_at }
}
