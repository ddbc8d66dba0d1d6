/** Pull mirrors of projects (spec 6: not shown; the public documentation of the interface's later versions). */
import { missing } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { PublicKey } from '../mirrors/mirrors.schema.ts'
import { presentPullMirror } from './pull-mirrors.present.ts'
import { PullMirror, pullMirrorBody } from './pull-mirrors.schema.ts'
import { requirePullMirror, setPullMirror, startPullMirror } from './pull-mirrors.service.ts'

export const pullMirrors = [
  endpoint('GET /projects/:id/mirror/pull', {
    summary: 'Get the pull mirror of a project',
    access: project('manage_mirrors'),
    reply: PullMirror,
    handle: async ({ app, project }) => presentPullMirror(app, await requirePullMirror(app.db, project.id)),
  }),
  endpoint('GET /projects/:id/mirror/pull/public_key', {
    summary: 'Get the public SSH key of the pull mirror of a project',
    access: project('manage_mirrors'),
    reply: PublicKey,
    async handle({ app, project }) {
      const { public_key } = await requirePullMirror(app.db, project.id)
      if (public_key === null) throw missing()
      return { public_key }
    },
  }),
  endpoint('PUT /projects/:id/mirror/pull', {
    summary: 'Set up the pull mirror of a project, or update it',
    access: unarchived(project('manage_mirrors')),
    body: pullMirrorBody,
    reply: PullMirror,
    handle: async ({ app, user, project, body }) => presentPullMirror(app, await setPullMirror(app, user, project.id, body)),
  }),
  endpoint('POST /projects/:id/mirror/pull', {
    summary: 'Update a project from its pull mirror now',
    access: unarchived(project('manage_mirrors')),
    reply: PullMirror,
    status: 200,
    handle: async ({ app, project }) => presentPullMirror(app, await startPullMirror(app, project.id)),
  }),
]
