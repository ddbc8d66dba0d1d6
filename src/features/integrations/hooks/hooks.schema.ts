/** Webhooks as sent and returned. Secrets are accepted, but never returned. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'

const Names = Type.Array(Type.Object({ key: Type.String() }), { description: 'Their names: values are never returned' })

export const Hook = resource('Hook', {
  id: Type.Integer(),
  url: Type.String({ description: 'Without its password' }),
  name: nullable(Type.String()),
  description: nullable(Type.String()),
  created_at: Instant,
  push_events: Type.Boolean(),
  tag_push_events: Type.Boolean(),
  merge_requests_events: Type.Boolean(),
  repository_update_events: Type.Boolean(),
  enable_ssl_verification: Type.Boolean(),
  alert_status: oneOf('executable', 'temporarily_disabled'),
  disabled_until: nullable(Instant),
  last_error: nullable(Type.String({ description: 'Why the last delivery failed' })),
  project_id: Type.Optional(Type.Integer()),
  group_id: Type.Optional(Type.Integer()),
  issues_events: Type.Boolean(),
  confidential_issues_events: Type.Boolean(),
  note_events: Type.Boolean(),
  confidential_note_events: nullable(Type.Boolean()),
  pipeline_events: Type.Boolean(),
  wiki_page_events: Type.Boolean(),
  job_events: Type.Boolean(),
  deployment_events: Type.Boolean(),
  releases_events: Type.Boolean(),
  member_events: Type.Boolean(),
  subgroup_events: Type.Boolean(),
  push_events_branch_filter: nullable(Type.String()),
  custom_headers: Names,
  url_variables: Names,
})

const flag = (what: string) => Type.Optional(Type.Boolean({ description: `Send ${what}` }))

const values = (description: string) =>
  Type.Optional(Type.Array(Type.Object({ key: Type.String(), value: Type.String() }), { description }))

/** Parameters of hooks of all kinds. */
const common = {
  url: Type.String({ description: 'HTTP or HTTPS URL; `{name}` in it stands for the URL variable of that name' }),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 2_000 })),
  token: Type.Optional(nullable(Type.String({ maxLength: 1_024, description: 'Sent as X-Gitlab-Token; never returned' }))),
  signing_token: Type.Optional(
    nullable(Type.String({ maxLength: 1_024, description: 'Signs each request (Standard Webhooks: `whsec_` and Base64); never returned' })),
  ),
  custom_headers: values('Headers of each request: added, or replacing those of the same name; values are never returned'),
  url_variables: values('Parts of the URL that are secret: added, or replacing those of the same name; values are never returned'),
  enable_ssl_verification: Type.Optional(Type.Boolean()),
  push_events: flag('pushes to branches'),
  tag_push_events: flag('pushes of tags'),
  merge_requests_events: flag('merge requests'),
  repository_update_events: flag('updates of repositories'),
}

const ofProject = {
  ...common,
  issues_events: flag('issues'),
  confidential_issues_events: flag('confidential issues'),
  note_events: flag('comments'),
  confidential_note_events: flag('internal comments, and comments on confidential issues'),
  pipeline_events: flag('pipelines'),
  wiki_page_events: flag('wiki pages'),
  job_events: flag('jobs'),
  deployment_events: flag('deployments'),
  releases_events: flag('releases'),
  push_events_branch_filter: Type.Optional(
    nullable(Type.String({ maxLength: 255, description: 'Send pushes to these branches alone: a name or a wildcard' })),
  ),
}

const ofGroup = { ...ofProject, member_events: flag('members of the group'), subgroup_events: flag('subgroups') }

/** Parameters to create each kind of hook. */
export const hookBodies = { system: common, project: ofProject, group: ofGroup }

const url = Type.Optional(common.url)

/** Parameters to change it. */
export const hookChanges = { system: { ...common, url }, project: { ...ofProject, url }, group: { ...ofGroup, url } }
