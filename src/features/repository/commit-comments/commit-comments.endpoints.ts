/** Comments on commits (spec 4.4). */
import { type Static, Type } from 'typebox'
import { canDownload } from '../../../access/find.ts'
import type { Config } from '../../../config.ts'
import { forbidden } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { project } from '../../../http/rules.ts'
import { oneOfDefault } from '../../../http/schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { requireCommit } from '../revisions.ts'
import { type Comment, listComments } from './commit-comments.queries.ts'
import { CommitComment } from './commit-comments.schema.ts'
import { addComment } from './commit-comments.service.ts'

export const commitComments = [
  listEndpoint('GET /projects/:id/repository/commits/:sha/comments', {
    summary: 'List the comments on a commit, oldest first',
    access: project('code'),
    item: CommitComment,
    async handle({ app, repo, project, params, page }) {
      const commit = await requireCommit(repo, params.sha)
      const { rows, total } = await listComments(app.db, project.id, commit, page)
      return { rows: rows.map((comment) => presentComment(app.config, comment)), total }
    },
  }),
  endpoint('POST /projects/:id/repository/commits/:sha/comments', {
    summary: 'Comment on a commit, or on a line of its diff',
    access: project('signed-in'),
    body: {
      note: Type.String({ description: 'Markdown' }),
      path: Type.Optional(Type.String({ description: 'File of the diff' })),
      line: Type.Optional(Type.Integer({ description: 'Number of a line that the diff shows' })),
      line_type: oneOfDefault('new', 'old'),
    },
    reply: CommitComment,
    async handle({ app, user, project, level, repo, params, body }) {
      if (project.archived || !canDownload({ project, level }, user)) throw forbidden()
      const commit = await requireCommit(repo, params.sha)
      const comment = await addComment(app, project.id, user, commit, { sha: params.sha, ...body })
      return presentComment(app.config, comment)
    },
  }),
]

function presentComment(config: Config, { note, path, line, line_type, author, created_at }: Comment): Static<typeof CommitComment> {
  return { note, path, line, line_type, author: presentUserBrief(config, author), created_at }
}
