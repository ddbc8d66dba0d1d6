/** Resource groups of a project, whose jobs run one at a time. */
import { type Static, Type } from 'typebox'
import type { CiResourceGroup } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { allowed, only, type ProjectGranted, project, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Instant, nameInPath, oneOf, resource } from '../../../http/parameters/schema.ts'
import { Job } from '../jobs/jobs.schema.ts'
import { listJobs, presentJobs } from '../jobs/jobs.ts'
import { jobsSeen } from '../pipelines/pipelines.ts'
import { listResourceGroups, resourceGroupAt, setProcessMode } from './resource-groups.queries.ts'

const modes = ['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'] as const

const ResourceGroup = resource('ResourceGroup', {
  id: Type.Integer(),
  key: Type.String(),
  process_mode: oneOf(...modes),
  created_at: Instant,
  updated_at: Instant,
})

const group = nested({ key: nameInPath('Key of the resource group') }, async ({ project }: ProjectGranted, { key }, app) => {
  const group = key.includes('\0') ? null : await resourceGroupAt(app.db, project.id, key)
  if (!group) throw notFound('Resource Group')
  return { group }
})

const readers = using('builds', project('read_deployments'))

export const resourceGroups = [
  listEndpoint('GET /projects/:id/resource_groups', {
    summary: 'List the resource groups of a project',
    access: readers,
    item: ResourceGroup,
    async handle({ app, project, page }) {
      const { rows, total } = await listResourceGroups(app.db, project.id, page)
      return { rows: rows.map(present), total }
    },
  }),
  endpoint('GET /projects/:id/resource_groups/:key', {
    summary: 'Get a resource group',
    access: within(readers, group),
    reply: ResourceGroup,
    handle: ({ group }) => present(group),
  }),
  endpoint('GET /projects/:id/resource_groups/:key/current_job', {
    summary: 'Get the job that has a resource group: it runs, or a runner is about to take it',
    access: within(only(jobsSeen, allowed('read_deployments')), group),
    reply: Job,
    async handle({ app, user, project, repo, group }) {
      const filter = {
        kind: 'job',
        statuses: ['pending', 'running'],
        include_retried: true,
        resource_group_id: group.id,
        sort: 'asc',
      } as const
      const { rows } = await listJobs(app.db, project.id, filter, { limit: 1, offset: 0 })
      const [job] = await presentJobs(app, { user, project, repo }, rows)
      if (!job) throw notFound('Job')
      return job
    },
  }),
  listEndpoint('GET /projects/:id/resource_groups/:key/upcoming_jobs', {
    summary: 'List the jobs that wait for a resource group, the next one first',
    access: within(only(jobsSeen, allowed('read_deployments')), group),
    item: Job,
    async handle({ app, user, project, repo, group, page }) {
      const sort = group.process_mode.startsWith('newest') ? 'desc' : 'asc'
      const filter = { kind: 'job', statuses: ['waiting_for_resource'], include_retried: true, resource_group_id: group.id, sort } as const
      const { rows, total } = await listJobs(app.db, project.id, filter, page)
      return { rows: await presentJobs(app, { user, project, repo }, rows), total }
    },
  }),
  endpoint('PUT /projects/:id/resource_groups/:key', {
    summary: 'Update in which order the jobs of a resource group run',
    access: within(unarchived(using('builds', project('deploy'))), group),
    body: { process_mode: oneOf(...modes) },
    reply: ResourceGroup,
    async handle({ app, group, body: { process_mode } }) {
      const row = await setProcessMode(app.db, group.id, process_mode)
      if (!row) throw notFound('Resource Group')
      return present(row)
    },
  }),
]

function present({ id, key, process_mode, created_at, updated_at }: CiResourceGroup): Static<typeof ResourceGroup> {
  return { id, key, process_mode, created_at, updated_at }
}
