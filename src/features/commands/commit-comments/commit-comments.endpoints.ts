/** Comments on commits (spec 4.4). */
import { Type } from 'typebox'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { authenticated, project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { describeNotes, listNotes } from '../../discussion/notes/notes.ts'
import { commit } from '../../repository/revisions.ts'
import { presentComment } from './commit-comments.present.ts'
import { CommitComment } from './commit-comments.schema.ts'
import { addComment, commitNoteable } from './commit-comments.service.ts'

const oldestFirst = { order_by: 'created_at', sort: 'asc', activity_filter: 'all_notes' } as const

export const commitComments = [
  listEndpoint('GET /projects/:id/repository/commits/:sha/comments', {
    summary: 'List the comments on a commit, oldest first',
    access: within(project('code'), commit),
    item: CommitComment,
    async handle({ app, user, access, commit, page }) {
      const { rows, total } = await listNotes(app.db, commitNoteable(access, commit), user, oldestFirst, page)
      const described = await describeNotes(app.db, rows)
      return { rows: described.map(({ note, author }) => presentComment(app.config, note, author)), total }
    },
  }),
  endpoint('POST /projects/:id/repository/commits/:sha/comments', {
    limit: 'notes_create',
    summary: 'Comment on a commit, or on a line of its diff',
    access: within(unarchived(authenticated(project('code'))), commit),
    body: {
      note: Type.String({ description: 'Markdown; /tag v1.2.3 message tags the commit' }),
      path: Type.Optional(Type.String({ description: 'Path of a file in the diff' })),
      line: Type.Optional(Type.Integer({ description: 'Line number in the diff' })),
      line_type: oneOfDefault('new', 'old'),
    },
    reply: CommitComment,
    async handle({ app, user, access, commit, params, body }) {
      const comment = await addComment(app, access, user, commit, { sha: params.sha, ...body })
      return presentComment(app.config, comment, user)
    },
  }),
]
