/** Sharing projects with groups. */
import { Type } from 'typebox'
import { findGroup } from '../../../access/find.ts'
import { accessLevels, memberLevels } from '../../../access/levels.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, Id, none, nullable, resource } from '../../../http/parameters/schema.ts'
import { deleteShare as removeShare, type Share } from './group-shares.queries.ts'
import { getShare, shareProject } from './group-shares.service.ts'

const ProjectGroupLink = resource('ProjectGroupLink', {
  id: Type.Integer(),
  project_id: Type.Integer(),
  group_id: Type.Integer(),
  group_access: Type.Integer(),
  expires_at: nullable(Day),
})

const share = nested({ group_id: Id }, async ({ project }: ProjectGranted, { group_id }, app) => ({
  share: await getShare(app, { project_id: project.id }, group_id),
}))

export const groupShares = [
  endpoint('POST /projects/:id/share', {
    summary: 'Share a project with a group',
    access: project('share_project'),
    body: {
      group_id: Id,
      group_access: Type.Integer({ enum: memberLevels.filter((level) => level < accessLevels.owner) }),
      expires_at: Type.Optional(nullable(Day)),
    },
    reply: ProjectGroupLink,
    fails: ['conflict'],
    async handle({ app, user, project, body }) {
      const { group } = await findGroup(app.db, String(body.group_id), user)
      const { group_access: access_level, expires_at = null } = body
      return present(project.id, await shareProject(app, project, group, { access_level, expires_at }))
    },
  }),
  endpoint('DELETE /projects/:id/share/:group_id', {
    summary: 'Stop sharing a project with a group',
    access: within(project('share_project'), share),
    reply: none,
    lastChanged: ({ share }) => share.created_at,
    async handle({ app, project, share }) {
      await removeShare(app.db, { project_id: project.id }, share.group_id)
      return null
    },
  }),
]

function present(project_id: number, { id, group_id, access_level, expires_at }: Share) {
  return { id, project_id, group_id, group_access: access_level, expires_at }
}
