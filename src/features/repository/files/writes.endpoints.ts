/** Creating, updating and deleting single files: commits of one action (spec 4.14). */
import { Type } from 'typebox'
import { invalid } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { none, resource } from '../../../http/parameters/schema.ts'
import { commitParameters, Encoding, maxBody_bytes } from '../commit-actions/commit-actions.schema.ts'
import { commitActions } from '../commit-actions/commit-actions.ts'
import { blames } from './blame.endpoints.ts'

const last_commit_id = Type.Optional(Type.String({ description: 'The last known commit of the file' }))
const written = { ...commitParameters, content: Type.String(), encoding: Encoding, last_commit_id }

const Written = resource('WrittenFile', { file_path: Type.String(), branch: Type.String() })

export const fileWrites = [
  endpoint('POST /projects/:id/repository/files/:file_path', {
    summary: 'Create a file',
    access: project('push_code'),
    body: written,
    maxBody_bytes,
    reply: Written,
    fails: ['unprocessable'],
    async handle({ app, actor, params: { file_path }, body }) {
      await commitActions(app, actor, body, [{ ...body, action: 'create', file_path }], { denied: invalid })
      return { file_path, branch: body.branch }
    },
  }),
  endpoint('PUT /projects/:id/repository/files/:file_path', {
    summary: 'Update a file',
    access: project('push_code'),
    body: written,
    maxBody_bytes,
    reply: Written,
    fails: ['unprocessable'],
    async handle({ app, actor, params: { file_path }, body }) {
      const stale = () => 'You are attempting to update a file that has changed since you started editing it.'
      await commitActions(app, actor, body, [{ ...body, action: 'update', file_path }], { stale, denied: invalid })
      return { file_path, branch: body.branch }
    },
  }),
  endpoint('DELETE /projects/:id/repository/files/:file_path', {
    summary: 'Delete a file',
    access: project('push_code'),
    body: { ...commitParameters, last_commit_id },
    reply: none,
    fails: ['unprocessable'],
    async handle({ app, actor, params: { file_path }, body }) {
      const stale = () => 'You are attempting to delete a file that has been previously updated.'
      await commitActions(app, actor, body, [{ ...body, action: 'delete', file_path, encoding: 'text' }], {
        stale,
        denied: invalid,
      })
      return null
    },
  }),
  ...blames,
]
