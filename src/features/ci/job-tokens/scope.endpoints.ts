/** Which job tokens a project accepts: `/projects/:id/job_token_scope`, for newer clients. */
import { Type } from 'typebox'
import { pageUrl } from '../../../addresses/links.ts'
import { groupAddress } from '../../../addresses/places.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project, unarchived, using } from '../../../http/declare/rules.ts'
import { Id, none, resource } from '../../../http/parameters/schema.ts'
import { identitiesOf, ProjectIdentity } from '../../spaces/projects/projects.ts'
import { listAllowedGroups, listAllowedProjects, removeAllowedGroup, removeAllowedProject, setScope } from './scope.queries.ts'
import { addGroup, addProject } from './scope.service.ts'

const JobTokenScope = resource('JobTokenScope', { inbound_enabled: Type.Boolean(), outbound_enabled: Type.Boolean() })
const AllowedGroup = resource('JobTokenAllowedGroup', { id: Type.Integer(), web_url: Type.String(), name: Type.String() })
const AddedProject = resource('JobTokenAllowedProject', { source_project_id: Type.Integer(), target_project_id: Type.Integer() })
const AddedGroup = resource('JobTokenAddedGroup', { source_project_id: Type.Integer(), target_group_id: Type.Integer() })

const maintainers = using('builds', project('manage_job_tokens'))
const writers = unarchived(maintainers)

export const jobTokenScope = [
  endpoint('GET /projects/:id/job_token_scope', {
    summary: 'Get whether a project limits whose job tokens count in it',
    access: maintainers,
    reply: JobTokenScope,
    // The project of a job doesn't restrict where its token is used.
    handle: ({ project }) => ({ inbound_enabled: project.job_token_scope_enabled, outbound_enabled: false }),
  }),
  endpoint('PATCH /projects/:id/job_token_scope', {
    summary: 'Limit job tokens to the allow-list of a project, or allow those of all projects',
    access: writers,
    body: { enabled: Type.Boolean({ description: 'Whether only projects on the allow-list have access with their job tokens' }) },
    reply: none,
    async handle({ app, project, body: { enabled } }) {
      await setScope(app.db, project.id, enabled)
      return null
    },
  }),
  listEndpoint('GET /projects/:id/job_token_scope/allowlist', {
    summary: 'List the projects whose job tokens count in a project, as far as you can see them',
    access: maintainers,
    item: ProjectIdentity,
    async handle({ app, project, user, page }) {
      const { ids, total } = await listAllowedProjects(app.db, project.id, user, page)
      const projects = await identitiesOf(app.db, ids)
      return { rows: ids.flatMap((id) => projects.get(id) ?? []), total }
    },
  }),
  endpoint('POST /projects/:id/job_token_scope/allowlist', {
    summary: 'Let the job tokens of another project count in a project',
    access: writers,
    body: { target_project_id: Id },
    reply: AddedProject,
    async handle({ app, project, user, body: { target_project_id } }) {
      await addProject(app, project.id, target_project_id, user)
      return { source_project_id: project.id, target_project_id }
    },
  }),
  endpoint('DELETE /projects/:id/job_token_scope/allowlist/:allowed_project_id', {
    summary: 'Remove a project from the allow-list of job tokens',
    access: writers,
    params: { allowed_project_id: Id },
    reply: none,
    async handle({ app, project, params: { allowed_project_id } }) {
      if (!(await removeAllowedProject(app.db, project.id, allowed_project_id))) throw notFound('Target project')
      return null
    },
  }),
  listEndpoint('GET /projects/:id/job_token_scope/groups_allowlist', {
    summary: 'List the groups whose job tokens count in a project, as far as you can see them',
    access: maintainers,
    item: AllowedGroup,
    async handle({ app, project, user, page }) {
      const { rows, total } = await listAllowedGroups(app.db, project.id, user, page)
      return { rows: rows.map(({ id, name, full_path }) => ({ id, web_url: pageUrl(app.config, groupAddress(full_path)), name })), total }
    },
  }),
  endpoint('POST /projects/:id/job_token_scope/groups_allowlist', {
    summary: 'Let the job tokens of all projects in a group count in a project',
    access: writers,
    body: { target_group_id: Id },
    reply: AddedGroup,
    async handle({ app, project, user, body: { target_group_id } }) {
      await addGroup(app, project.id, target_group_id, user)
      return { source_project_id: project.id, target_group_id }
    },
  }),
  endpoint('DELETE /projects/:id/job_token_scope/groups_allowlist/:allowed_group_id', {
    summary: 'Remove a group from the allow-list of job tokens',
    access: writers,
    params: { allowed_group_id: Id },
    reply: none,
    async handle({ app, project, params: { allowed_group_id } }) {
      if (!(await removeAllowedGroup(app.db, project.id, allowed_group_id))) throw notFound('Target group')
      return null
    },
  }),
]
